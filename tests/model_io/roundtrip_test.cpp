#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/model_io/support.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using lacuna::Archive;
using lacuna::ErrorKind;
using lacuna::Index;
using lacuna::test::expect_error;

std::string utf8(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xc0U | point >> 6U), byte(0x80U | (point & 0x3fU))};
  if (point < 0x10000)
    return {byte(0xe0U | point >> 12U), byte(0x80U | (point >> 6U & 0x3fU)), byte(0x80U | (point & 0x3fU))};
  return {byte(0xf0U | point >> 18U), byte(0x80U | (point >> 12U & 0x3fU)),
          byte(0x80U | (point >> 6U & 0x3fU)), byte(0x80U | (point & 0x3fU))};
}

// Any valid UTF-8, with more than its share of what JSON has to escape.
rc::Gen<std::string> text_generator() {
  const auto any = rc::gen::suchThat(rc::gen::inRange<std::uint32_t>(0, 0x110000),
                                     [](std::uint32_t point) { return point < 0xd800 || point > 0xdfff; });
  const auto nasty = rc::gen::elementOf(std::vector<std::uint32_t>{'"', '\\', '/', 0, '\n', 0x7f, '{', ','});
  const auto letter = rc::gen::inRange<std::uint32_t>('a', 'e');
  return rc::gen::map(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::oneOf(any, nasty, letter)),
                      [](const std::vector<std::uint32_t>& points) {
                        std::string text;
                        for (const std::uint32_t point : points) text += utf8(point);
                        return text;
                      });
}

// Any 64 bits are a double: NaN with payloads, infinities and denormals among them.
rc::Gen<double> double_generator() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                                     [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
                        rc::gen::elementOf(std::vector<double>{
                            0.0, -0.0, infinity, -infinity, std::numeric_limits<double>::signaling_NaN(),
                            std::numeric_limits<double>::denorm_min(), 1e300}));
}

Archive random_archive() {
  Archive archive;
  const auto names = *rc::gen::container<std::vector<std::string>>(text_generator());
  for (const std::string& name : names) {
    const auto shape = *rc::gen::container<std::vector<Index>>(rc::gen::inRange<Index>(0, 4));
    const auto few = std::vector<Index>(shape.begin(), shape.begin() + std::min<Index>(4, std::ssize(shape)));
    Index count = 1;
    for (const Index size : few) count *= size;
    archive.put(name, lacuna::Tensor{few, *rc::gen::container<std::vector<double>>(
                                              static_cast<std::size_t>(count), double_generator())});
  }
  const auto texts = *rc::gen::container<std::vector<std::string>>(text_generator());
  for (const std::string& name : texts) archive.put_text(name, *text_generator());
  return archive;
}

RC_GTEST_PROP(ModelFile, GivesBackEveryArchive, ()) {
  const Archive archive = random_archive();
  RC_ASSERT(same_bits(lacuna::decode_archive(encoded(archive), "memory"), archive));
}

// The layout rules, read back by a document parser that knows nothing of lacuna.
RC_GTEST_PROP(ModelFile, FollowsTheSafetensorsRules, ()) {
  const Archive archive = random_archive();
  const std::string file = encoded(archive);
  std::uint64_t header_size = 0;
  for (unsigned i = 0; i < 8; ++i)
    header_size |= static_cast<std::uint64_t>(static_cast<unsigned char>(file[i])) << (8 * i);
  RC_ASSERT(header_size % 8 == 0U);
  RC_ASSERT(8 + header_size <= file.size());
  const auto header = nlohmann::ordered_json::parse(file.substr(8, header_size));
  RC_ASSERT(header.begin().key() == "__metadata__");
  RC_ASSERT(header.size() == archive.tensors().size() + 1);
  const auto& metadata = header["__metadata__"];
  RC_ASSERT(metadata.size() == archive.texts().size() + 3);
  RC_ASSERT(metadata["format"] == "lacuna");
  RC_ASSERT(metadata["format_version"] == "2");
  for (const auto& [name, text] : archive.texts()) RC_ASSERT(metadata["text/" + name] == text);

  std::size_t end = 0;
  auto expected = archive.tensors().begin(); // a map: in the order of names
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    RC_ASSERT(name == expected->first);
    RC_ASSERT(entry["dtype"] == "F64");
    RC_ASSERT(entry["shape"].get<std::vector<Index>>() == expected->second.shape);
    RC_ASSERT(entry["data_offsets"][0] == end);
    end += 8 * expected->second.values.size();
    RC_ASSERT(entry["data_offsets"][1] == end);
    ++expected;
  }
  RC_ASSERT(8 + header_size + end == file.size());
  RC_ASSERT(with_checksum(file) == file);
}

// One archive, one file, for ever: a change here is a new format version.
TEST(ModelFile, HasTheseBytes) {
  ASSERT_EQ(slow_crc32("123456789"), 0xcbf43926U); // the check value of the standard
  Archive archive;
  archive.put("b", 1.0);
  archive.put("a", lacuna::Matrix(1, 2, {-2.0, 0.5}));
  archive.put_text("note", "say \"hi\"");
  const std::string header = R"({"__metadata__":{"checksum":"crc32:00000000","format":"lacuna",)"
                             R"("format_version":"2","text/note":"say \"hi\""},)"
                             R"("a":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},)"
                             R"("b":{"dtype":"F64","shape":[1],"data_offsets":[16,24]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  using std::string_literals::operator""s;
  const std::string data = "\0\0\0\0\0\0\0\xc0"s + "\0\0\0\0\0\0\xe0\x3f"s + "\0\0\0\0\0\0\xf0\x3f"s;
  EXPECT_EQ(encoded(archive), file_of(header + padding, data));
}

TEST(ModelFile, FilesOfTheFirstVersionAreRead) {
  Archive archive;
  archive.put("a", 1.0);
  archive.put_text("note", "old");
  std::string file = encoded(archive);
  const std::string version = R"("format_version":")";
  file[file.find(version) + version.size()] = '1';
  EXPECT_TRUE(same_bits(lacuna::decode_archive(with_checksum(file), "memory"), archive));
}

TEST(ModelFile, AnEmptyArchiveIsAFileToo) {
  EXPECT_TRUE(same_bits(lacuna::decode_archive(encoded({}), "memory"), {}));
}

TEST(ModelFile, RefusesTextThatIsNotUtf8) {
  for (const char* bad : {"caf\xe9", "\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80"}) {
    Archive value;
    value.put_text("class/3", bad);
    expect_error(ErrorKind::data, {"class/3", "UTF-8"}, [&] { lacuna::encode_archive(value); });
    Archive name;
    name.put_text(std::string("here ") + bad, "x");
    expect_error(ErrorKind::data, {"here ", "UTF-8"}, [&] { lacuna::encode_archive(name); });
    Archive tensor;
    tensor.put(std::string("there ") + bad, 1.0);
    expect_error(ErrorKind::data, {"there ", "UTF-8"}, [&] { lacuna::encode_archive(tensor); });
  }
}

TEST(ModelFile, RefusesWhatItCouldNotReadAgain) {
  Archive reserved;
  reserved.put("__metadata__", 1.0);
  expect_error(ErrorKind::internal, {"__metadata__"}, [&] { lacuna::encode_archive(reserved); });
  Archive wrong_shape;
  wrong_shape.put("t", lacuna::Tensor{{2, 2}, {1, 2, 3}});
  expect_error(ErrorKind::internal, {"\"t\"", "[2,2]"}, [&] { lacuna::encode_archive(wrong_shape); });
  Archive negative;
  negative.put("t", lacuna::Tensor{{-1, -1}, {1}});
  expect_error(ErrorKind::internal, {"\"t\""}, [&] { lacuna::encode_archive(negative); });
  Archive large;
  large.put_text("essay", std::string((std::size_t{64} << 20U) + 1, 'x'));
  expect_error(ErrorKind::data, {"67108864"}, [&] { lacuna::encode_archive(large); });
}

Archive one_text_archive() {
  Archive archive;
  archive.put("weights", std::vector<double>{0.25, 0.75});
  archive.put_text("class/0", "ja");
  return archive;
}

TEST(ModelFile, GoesToDiskAndBack) {
  const TemporaryFolder folder;
  const std::string path = folder.path("m.lacuna");
  lacuna::write_archive(one_text_archive(), path, false);
  EXPECT_EQ(content_of(path), encoded(one_text_archive()));
  EXPECT_TRUE(same_bits(lacuna::read_archive(path), one_text_archive()));
  expect_error(ErrorKind::cannot_write, {path}, [&] { lacuna::write_archive({}, path, false); });
  EXPECT_TRUE(same_bits(lacuna::read_archive(path), one_text_archive()));
  lacuna::write_archive({}, path, true);
  EXPECT_TRUE(same_bits(lacuna::read_archive(path), {}));
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(ModelFile, AnArchiveThatCannotBeEncodedLeavesNoFile) {
  const TemporaryFolder folder;
  Archive bad;
  bad.put_text("t", "\xff");
  expect_error(ErrorKind::data, {}, [&] { lacuna::write_archive(bad, folder.path("m"), false); });
  EXPECT_EQ(folder.n_entries(), 0);
}

} // namespace
