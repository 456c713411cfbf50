#include <filesystem>

#include <sys/stat.h>

#include "tests/model_io/support.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using lacuna::Archive;
using lacuna::decode_archive;
using lacuna::ErrorKind;
using lacuna::test::expect_error;

const std::string start =
    R"({"__metadata__":{"checksum":"crc32:00000000","format":"lacuna","format_version":"2")";

Archive small_archive() {
  Archive archive;
  archive.put("means", lacuna::Matrix(2, 2, {1.0, -2.0, 3.5, 1e-300}));
  archive.put("none", std::vector<double>{});
  archive.put("weight", 0.5);
  archive.put_text("class/0", "naïve \"quoted\"");
  archive.put_text("record", "{\"seed\":0}");
  return archive;
}

void expect_refused(const std::string& file, const std::string& part) {
  expect_error(ErrorKind::data, {"'some.lacuna'", part}, [&] { decode_archive(file, "some.lacuna"); });
}

/// A header with these tensors, behind good metadata.
std::string tensors(const std::string& entries) {
  return start + "}," + entries + "}";
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(HostileFile, EveryChangedByteIsNoticed) {
  const std::string file = encoded(small_archive());
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const unsigned flip : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string changed = file;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
      SCOPED_TRACE(testing::Message() << "byte " << at << " xor " << flip);
      expect_refused(changed, "");
    }
}

TEST(HostileFile, EveryTruncationIsNoticed) {
  const std::string file = encoded(small_archive());
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    expect_refused(file.substr(0, size), "truncated");
  }
  expect_refused(file + '\0', "damaged");
  expect_refused(file + file, "damaged");
}

TEST(HostileFile, ASwapOfNumbersIsNoticed) {
  std::string file = encoded(small_archive());
  const std::size_t data = file.size() - 5 * 8;
  const std::string first = file.substr(data, 8);
  file.replace(data, 8, file.substr(data + 8, 8));
  file.replace(data + 8, 8, first);
  expect_refused(file, "damaged: its checksum");
}

TEST(HostileFile, ForeignFilesAreCalledForeign) {
  const std::string safetensors = "is a safetensors file, but not a lacuna model";
  expect_refused(file_of(R"({})"), safetensors);
  expect_refused(file_of(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "1234"), safetensors);
  expect_refused(file_of(R"({"__metadata__":{"format":"pt"},"w":{}})"), safetensors);
  expect_refused(file_of(R"({"__metadata__":{"checksum":"crc32:00000000","format":"other"}})"), safetensors);
  expect_refused("age,job,label\n31,clerk,yes\n", "not a lacuna model");
  expect_refused(std::string("\x93NUMPY\x01\0v\0{'descr'", 18), "not a lacuna model");
  expect_refused(little_endian(4) + "[42]", "not a lacuna model");
  expect_refused(std::string(100, '\0'), "not a lacuna model");
}

TEST(HostileFile, ANewerFormatAsksForAnUpdate) {
  const auto versioned = [](const std::string& version) {
    return file_of(R"({"__metadata__":{"checksum":"crc32:00000000","format":"lacuna","format_version":")" +
                   version + R"("},"new":[{"things":null}]})");
  };
  expect_refused(versioned("3"), "written by a newer lacuna (format version 3, this one reads 2); update");
  expect_refused(versioned("10"), "newer lacuna");
  for (const char* nonsense : {"", "0", "-1", "x", "1 ", "01", "99999999999999999999"})
    expect_refused(versioned(nonsense), "damaged: its format version");
}

TEST(HostileFile, HeaderSizesAreCheckedBeforeUse) {
  expect_refused(little_endian(~std::uint64_t{0}) + "{}", "not a lacuna model");
  expect_refused(little_endian(std::uint64_t{1} << 63U) + "{}", "not a lacuna model");
  expect_refused(little_endian((std::uint64_t{64} << 20U) + 1) + "{}", "not a lacuna model");
  expect_refused(little_endian(std::uint64_t{64} << 20U) + "{}", "truncated");
  expect_refused(little_endian(3) + "{}", "truncated");
  expect_refused(little_endian(0), "not a lacuna model");
}

// Checksums are right in all of these: whoever made the file meant it.
TEST(HostileFile, ShapesAndOffsetsMustFit) {
  const std::string eight(8, 'x');
  const auto refused = [&](const std::string& shape, const std::string& offsets, const std::string& part) {
    SCOPED_TRACE(shape + " " + offsets);
    expect_refused(file_of(tensors(entry("t", shape, offsets)), eight), part);
  };
  ASSERT_EQ(
      decode_archive(file_of(tensors(entry("t", "[1]", "[0,8]")), eight), "x").tensor("t").values.size(), 1U);
  refused("[-1]", "[0,8]", "negative");
  refused("[1]", "[-8,0]", "negative");
  refused("[1.0]", "[0,8]", "not whole");
  refused("[1e0]", "[0,8]", "not whole");
  refused("[\"1\"]", "[0,8]", "a text");
  refused("[[1]]", "[0,8]", "a list");
  refused("[{}]", "[0,8]", "an object");
  refused("[null]", "[0,8]", "null");
  refused("[true]", "[0,8]", "true");
  refused("1", "[0,8]", "a number");
  refused("[2]", "[0,8]", "another size");
  refused("[0]", "[0,8]", "another size");
  refused("[1]", "[0,7]", "another size");
  refused("[1]", "[8,0]", "starts at byte 8");
  refused("[0]", "[8,8]", "starts at byte 8");
  refused("[1]", "[0]", "two data_offsets");
  refused("[1]", "[]", "two data_offsets");
  refused("[1]", "[0,8,16]", "too many numbers");
  refused("[2]", "[0,16]", "truncated");
  refused("[0]", "[0,0]", "damaged");
  // 2^64, 2^63, 2^61 elements; products that wrap around to 1 or 0; an empty dimension beside them.
  refused("[18446744073709551616]", "[0,8]", "not whole");
  refused("[9223372036854775808]", "[0,8]", "no file can have");
  refused("[2305843009213693952]", "[0,8]", "too large");
  refused("[4294967296,4294967296]", "[0,0]", "too large");
  refused("[4294967296,4294967296,0]", "[0,0]", "too large");
  refused("[0,4294967296,4294967296]", "[0,0]", "too large");
  refused("[1152921504606846975]", "[0,9223372036854775800]", "truncated");
  refused("[1152921504606846975]", "[0,8]", "another size");
  refused("[1]", "[18446744073709551608,0]", "no file can have");
  std::string ones = "[1";
  for (int i = 1; i < 33; ++i) ones += ",1";
  refused(ones + "]", "[0,8]", "too many numbers");
}

TEST(HostileFile, TensorsMayNeitherOverlapNorLeaveHoles) {
  const std::string data(24, 'x');
  const auto refused = [&](const std::string& a, const std::string& b, const std::string& part) {
    expect_refused(file_of(tensors(entry("a", "[1]", a) + "," + entry("b", "[1]", b)), data), part);
  };
  refused("[0,8]", "[0,8]", "\"b\" starts at byte 0, expected 8");
  refused("[0,8]", "[16,24]", "\"b\" starts at byte 16, expected 8");
  refused("[8,16]", "[16,24]", "\"a\" starts at byte 8, expected 0");
  refused("[8,16]", "[0,8]", "\"a\" starts at byte 8, expected 0");
  refused("[0,8]", "[8,16]", "damaged: 24 bytes of data, expected 16");
}

TEST(HostileFile, NamesAppearOnce) {
  const std::string good = entry("t", "[0]", "[0,0]");
  expect_refused(file_of(tensors(good + "," + good)), "\"t\" appears twice");
  expect_refused(file_of(tensors(good + "," + entry("\\u0074", "[0]", "[0,0]"))), "appears twice");
  expect_refused(file_of(tensors(good + "," + entry("a", "[0]", "[0,0]"))), "\"a\" is out of order");
  expect_refused(file_of(tensors(R"("__metadata__":{"text/a":"b"})")), "\"__metadata__\" appears twice");
  expect_refused(file_of(start + R"(,"text/a":"1","text/a":"2"}})"), "\"text/a\" appears twice");
  expect_refused(file_of(start + R"(,"format_version":"1"}})"), "\"format_version\" appears twice");
  expect_refused(file_of(tensors(R"("t":{"dtype":"F64","dtype":"F64","shape":[0],"data_offsets":[0,0]})")),
                 "\"dtype\" twice");
}

TEST(HostileFile, EntriesAreWhatTheyMustBe) {
  for (const char* type : {"F16", "f64", "I64", "", "F64 "})
    expect_refused(file_of(tensors("\"t\":{\"dtype\":\"" + std::string(type) +
                                   "\",\"shape\":[0],\"data_offsets\":[0,0]}")),
                   "expected F64 or F32");
  expect_refused(file_of(tensors(R"("t":{"dtype":"F64","shape":[0]})")), "lacks");
  expect_refused(file_of(tensors(R"("t":{})")), "lacks");
  expect_refused(file_of(tensors(R"("t":{"dtype":"F64","size":0})")), "unknown field \"size\"");
  expect_refused(file_of(tensors(R"("t":{"dtype":1})")), "a number");
  expect_refused(file_of(tensors(R"("t":7)")), "a number");
  expect_refused(file_of(tensors(R"("t":"x")")), "a text");
  expect_refused(file_of(tensors(R"("t":[])")), "a list");
  expect_refused(file_of(start + R"(,"text/a":7}})"), "a number");
  expect_refused(file_of(start + R"(,"text/a":{"b":"c"}}})"), "an object");
  expect_refused(file_of(start + R"(,"other":"b"}})"), "unknown name \"other\"");
}

TEST(HostileFile, TheHeaderMustBeJson) {
  for (const std::string& rest : std::vector<std::string>{
           "", "}", "}}{}", "}} x", "},}", "}}\x01", ",}}", R"(,"text/a":"\ud800"}})",
           ",\"text/a\":\"\xff\"}}", ",\"text/a\":\"\n\"}}", R"(,"text/a":"b}})", std::string("}}\0", 3)}) {
    SCOPED_TRACE(rest);
    expect_refused(file_of(start + rest), "no valid JSON");
  }
}

TEST(HostileFile, BombsDoNotGoOff) {
  const std::string brackets(std::size_t{8} << 20U, '[');
  expect_refused(file_of(start + ",\"text/a\":" + brackets), "a list");
  expect_refused(file_of(tensors("\"t\":" + brackets)), "a list");
  expect_refused(file_of(tensors("\"t\":{\"dtype\":\"F64\",\"shape\":" + brackets)), "a list");
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  expect_refused(file_of(tensors("\"t\":" + objects)), "unknown field");
  const std::string digits(std::size_t{8} << 20U, '9');
  expect_refused(file_of(tensors(entry("t", "[" + digits + "]", "[0,0]"))), "");
}

// What a file says ends up on a terminal: no escapes, no megabytes.
TEST(HostileFile, ErrorTextsStayShortAndPrintable) {
  const std::string name = std::string(1'000'000, 'n') + "\x7f";
  const std::string file = file_of(tensors(entry("\\u001b[2J" + name, "[1]", "[0,0]")));
  try {
    decode_archive(file, "some.lacuna");
    FAIL() << "nothing was thrown";
  } catch (const lacuna::Error& error) {
    const std::string text = error.what();
    EXPECT_LT(text.size(), 500U);
    for (const char c : text) EXPECT_TRUE(c >= ' ' && c < 0x7f);
  }
}

TEST(HostilePath, IsNamedWithTheRightKind) {
  const TemporaryFolder folder;
  const std::string file = encoded(small_archive());
  const auto refused = [&](const std::string& path, ErrorKind kind, const std::string& part) {
    expect_error(kind, {"'" + path + "'", part}, [&] { lacuna::read_archive(path); });
  };
  refused(folder.path("none"), ErrorKind::no_input, "No such file");
  refused(folder.path(""), ErrorKind::no_input, "folder");
  expect_error(ErrorKind::no_input, {"name", "empty"}, [] { lacuna::read_archive(""); });
  refused("/dev/zero", ErrorKind::no_input, "regular");
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  refused(folder.path("pipe"), ErrorKind::no_input, "regular");
  write_content(folder.path("empty"), "");
  refused(folder.path("empty"), ErrorKind::data, "0 bytes");
  write_content(folder.path("short"), file.substr(0, 5));
  refused(folder.path("short"), ErrorKind::data, "truncated");
  write_content(folder.path("cut"), file.substr(0, file.size() - 1));
  refused(folder.path("cut"), ErrorKind::data, "truncated");
  write_content(folder.path("table.csv"), "a,b,label\n1,2,yes\n");
  refused(folder.path("table.csv"), ErrorKind::data, "not a lacuna model");
}

// A terabyte that announces an absurd header is refused before anything of that size is allocated.
TEST(HostilePath, AHugeForeignFileIsNotLoaded) {
  const TemporaryFolder folder;
  write_content(folder.path("huge"), "a,b,label\n");
  std::error_code unsupported;
  std::filesystem::resize_file(folder.path("huge"), std::uintmax_t{1} << 40U, unsupported);
  if (unsupported) GTEST_SKIP() << "no sparse files of this size here";
  expect_error(ErrorKind::data, {"not a lacuna model"}, [&] { lacuna::read_archive(folder.path("huge")); });
}

} // namespace
