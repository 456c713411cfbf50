#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <rapidcheck.h>

#include "data/array.hpp"
#include "data/table_source.hpp"
#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using test::labels_from;
using test::TempFile;
using test::values;

/// An NPY file as the format's description says, written byte by byte.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t k = 0; k < (version == 1 ? 2U : 4U); ++k)
    bytes += static_cast<char>((header.size() >> (8 * k)) & 0xFF);
  return bytes + header + data;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool is_fortran = false) {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                 ", 'shape': " + shape + ", }   \n",
             data);
}

template <typename T>
std::string pack(const std::vector<T>& numbers, bool is_big_endian = false) {
  std::string bytes;
  for (const T number : numbers) {
    std::string raw(sizeof(T), '\0');
    std::memcpy(raw.data(), &number, sizeof(T));
    if (is_big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
    bytes += raw;
  }
  return bytes;
}

std::string idx(int type, const std::vector<std::uint32_t>& shape, const std::string& data) {
  std::string bytes(2, '\0');
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(shape.size());
  return bytes + pack(shape, true) + data;
}

std::vector<std::vector<double>> read_rows(const std::string& bytes) {
  const TempFile file(bytes, ".npy");
  const auto table = open_table(file.path(), {});
  std::vector<std::vector<double>> rows;
  while (table->next()) {
    rows.emplace_back();
    for (std::size_t j = 0; j < table->column_names().size(); ++j)
      rows.back().push_back(table->number(j).value);
  }
  return rows;
}

using Rows = std::vector<std::vector<double>>;

template <typename T>
void expect_type_is_read(const std::string& descr) {
  const T low = std::numeric_limits<T>::lowest() == 0 ? T(0) : T(-7);
  const std::vector<T> numbers = {low, 1, 100, 3, 4, 5};
  const Rows rows = {{static_cast<double>(low), 1, 100}, {3, 4, 5}};
  EXPECT_EQ(read_rows(npy("<" + descr, "(2, 3)", pack(numbers))), rows) << descr;
  EXPECT_EQ(read_rows(npy(">" + descr, "(2, 3)", pack(numbers, true))), rows) << descr;
  const Rows columns = {{static_cast<double>(low), 100, 4}, {1, 3, 5}};
  EXPECT_EQ(read_rows(npy("<" + descr, "(2, 3)", pack(numbers), true)), columns) << descr;
  EXPECT_EQ(read_rows(npy(">" + descr, "(2, 3)", pack(numbers, true), true)), columns) << descr;
}

TEST(Npy, ReadsEveryTypeByteOrderAndLayout) {
  expect_type_is_read<float>("f4");
  expect_type_is_read<double>("f8");
  expect_type_is_read<std::int8_t>("i1");
  expect_type_is_read<std::int16_t>("i2");
  expect_type_is_read<std::int32_t>("i4");
  expect_type_is_read<std::int64_t>("i8");
  expect_type_is_read<std::uint8_t>("u1");
  expect_type_is_read<std::uint16_t>("u2");
  expect_type_is_read<std::uint32_t>("u4");
  expect_type_is_read<std::uint64_t>("u8");
  EXPECT_EQ(read_rows(npy("|b1", "(2, 2)", std::string("\x00\x01\x02\x00", 4))), (Rows{{0, 1}, {1, 0}}));
  EXPECT_EQ(read_rows(npy("|u1", "(2, 1)", "\xFF\x01")), (Rows{{255}, {1}}));
}

TEST(Npy, ReadsEveryShape) {
  const std::string six = pack<double>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(read_rows(npy("<f8", "(6,)", six)).size(), 6U);
  EXPECT_EQ(read_rows(npy("<f8", "(6,)", six, true)).size(), 6U);
  EXPECT_EQ(read_rows(npy("<f8", "(2, 3)", six)), (Rows{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(read_rows(npy("<f8", "(1L, 3L, 2L)", six)), (Rows{{1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(read_rows(npy("<f8", "(3, 1, 2)", six)), (Rows{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(read_rows(npy("<f8", "(0, 3)", "")), Rows{});
}

TEST(Npy, ReadsEveryVersionAndGzip) {
  const std::string header = "{\"shape\":(2,1),\"fortran_order\":False,\"descr\":\"<f8\"}";
  const std::string data = pack<double>({1.5, -2.5});
  for (const int version : {1, 2, 3}) EXPECT_EQ(read_rows(npy(header, data, version)), (Rows{{1.5}, {-2.5}}));
  EXPECT_EQ(read_rows(test::gzip(npy(header, data))), (Rows{{1.5}, {-2.5}}));
}

TEST(Npy, RandomArraysComeBack) {
  const bool holds = rc::check([] {
    const auto n_columns = *rc::gen::inRange<std::size_t>(1, 5);
    const Rows rows = *rc::gen::container<Rows>(rc::gen::container<std::vector<double>>(
        n_columns, rc::gen::map(rc::gen::arbitrary<int>(), [](int k) { return k * 0.37; })));
    const bool is_fortran = *rc::gen::arbitrary<bool>();
    const bool is_big = *rc::gen::arbitrary<bool>();
    std::vector<double> flat(rows.size() * n_columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < n_columns; ++j)
        flat[is_fortran ? j * rows.size() + i : i * n_columns + j] = rows[i][j];
    const std::string shape = "(" + std::to_string(rows.size()) + "," + std::to_string(n_columns) + ")";
    RC_ASSERT(read_rows(npy(is_big ? ">f8" : "<f8", shape, pack(flat, is_big), is_fortran)) == rows);
  });
  EXPECT_TRUE(holds);
}

TEST(Npy, RefusesDamagedAndForeignFiles) {
  const auto refuse = [](const std::string& bytes, std::initializer_list<std::string> words) {
    expect_error(ErrorKind::data, words, [&] { read_rows(bytes); });
  };
  const std::string six = pack<double>({1, 2, 3, 4, 5, 6});
  refuse(npy("<f8", "(2, 3)", six.substr(0, 40)), {"cut off", "2 rows of 3 columns", "after row 1"});
  refuse(npy("<f8", "(2, 3)", six.substr(0, 40), true), {"cut off", "2 rows of 3 columns"});
  refuse(npy("<f8", "(2, 2)", six), {"bytes follow", "2 rows"});
  refuse(npy("<f8", "(2, 2)", six, true), {"bytes follow"});
  refuse(npy("<f8", "(2, 3)", "").substr(0, 30), {"cut off within its NPY header"});
  refuse("\x93NUMPY", {"cut off within its NPY header"});
  refuse(npy("<f8", "(1, 2, 3)", six, true), {"3 dimensions", "C order"});
  refuse(npy("<f8", "()", six), {"single number"});
  refuse(npy("<f8", "(2, 0)", ""), {"no columns"});
  refuse(npy("<f8", "(1, 2000000)", six), {"2000000 columns", "at most 1000000"});
  refuse(npy("<f8", "(4611686018427387904, 4)", six), {"too large to be true"});
  refuse(npy("<f8", "(2, 4294967296, 4294967296)", six), {"too large to be true"});
  refuse(npy("<f8", "(1152921504606846976, 1)", six), {"too large to be true"});
  refuse(npy("<f8", "(99999999999999999999,)", six), {"damaged NPY header"});
  refuse(npy("<f8", "(-1, 2)", six), {"damaged NPY header"});
  // Promises 10^15 bytes: it must fail for want of data, not for want of memory.
  refuse(npy("<f8", "(125000000, 1000000)", six), {"cut off"});
  refuse(npy("<f8", "(125000000, 1000000)", six, true), {"cut off"});
  refuse(npy("|O", "(2, 3)", six), {"Python objects"});
  refuse(npy("<U5", "(2, 3)", six), {"text"});
  refuse(npy("|S5", "(2, 3)", six), {"text"});
  refuse(npy("<f2", "(2, 3)", six), {"'<f2'", "astype"});
  refuse(npy("<c16", "(2, 3)", six), {"'<c16'"});
  refuse(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", six), {"structured"});
  refuse(npy("{'descr': '<f8', 'fortran_order': False}", six), {"damaged NPY header"});
  refuse(npy("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", six), {"damaged"});
  refuse(npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,)}", six), {"damaged"});
  refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", six), {"damaged"});
  refuse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2", six), {"damaged"});
  for (const std::string header :
       {"'descr': '<f8'", "{descr: '<f8'}", "{'descr' '<f8'}", "{'descr': '<f8", "{'descr': '<f8' 'x': 1}",
        "{'other': 1}", "{'descr': '<f8', 'shape': 2}", "{'descr': '<f8', 'shape': (2 3)}",
        "{'fortran_order': False, 'shape': (2,)}", "{'descr': '<f8', 'shape': (2,)}",
        "{'fortran_order': True, 'fortran_order': True}", "{'shape': (2,), 'shape': (2,)}"})
    refuse(npy(header, six), {"damaged NPY header"});
  refuse(npy("{'descr': '', 'fortran_order': False, 'shape': (2,)}", six), {"elements of type ''"});
  refuse(npy("{}", six, 0), {"version 0"});
  refuse(npy("", six), {"damaged"});
  refuse(npy("{}", six, 4), {"version 4"});
  std::string endless = npy("{}", "", 2);
  endless.replace(8, 4, "\xFF\xFF\xFF\x7F");
  refuse(endless, {"damaged NPY header"});
}

// What numpy wrote before: quotes of the other kind, long integers of Python 2, no sign of the byte order.
TEST(Npy, ReadsUnusualHeaders) {
  const std::string two = pack<double>({1, 2});
  for (const std::string header : {R"({"descr": "<f8", "fortran_order": False, "shape": (2L, 1L)})",
                                   "{\t'shape' :(2 ,) ,\n'fortran_order':False,'descr':'=f8'}",
                                   "{'descr': 'f8', 'fortran_order': True, 'shape': (2,), }"})
    EXPECT_EQ(read_rows(npy(header, two)), (Rows{{1}, {2}})) << header;
}

TEST(Npy, TrainsWithLabelsBeside) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TempFile table(npy("<f4", "(4, 3)", pack<float>({1, 5, 0, 2, 5, 1, 3, 5, 0, 4, 5, 1})), ".npy");
  const TempFile labels(npy("<f8", "(4,)", pack<double>({10, nan, 9, -nan})), ".npy");
  const TrainingTable result =
      read_training_table(table.path(), {"11"}, labels_from(labels), silent_observer());
  EXPECT_EQ(values(result.data.features), (std::vector<double>{1, 0, 2, 1, 3, 0, 4, 1}));
  EXPECT_EQ(result.data.feature_names, (std::vector<std::string>{"c0", "c2"})); // c1 is constant
  EXPECT_EQ(result.data.class_names, (std::vector<std::string>{"9", "10", "11"}));
  EXPECT_EQ(test::label_texts(result.data), (std::vector<std::string>{"10", "", "9", ""}));
  EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("'c1'")));
}

TEST(Npy, LongIntegersKeepTheirDigitsAsLabels) {
  const std::vector<std::int64_t> ids = {9007199254740993, 9007199254740992, -1};
  const TempFile table(npy("<f8", "(3,)", pack<double>({1, 2, 3})), ".npy");
  const TempFile labels(npy("<i8", "(3,)", pack(ids)), ".npy");
  TableOptions options = labels_from(labels);
  options.missing_label = "-1.0";
  const TrainingTable result = read_training_table(table.path(), {}, options, silent_observer());
  EXPECT_EQ(test::label_texts(result.data),
            (std::vector<std::string>{"9007199254740993", "9007199254740992", ""}));
}

TEST(Npy, NamesTheCellThatCannotBeUsed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto read = [](const std::vector<double>& numbers) {
    const TempFile file(npy("<f8", "(3, 2)", pack(numbers)), ".npy");
    read_training_table(file.path(), {}, test::labels_in("c0"), silent_observer());
  };
  EXPECT_NO_THROW(read({1, 2, 3, nan, 5, 6})); // a gap
  expect_error(ErrorKind::data, {"row 3", "'c1'", "-inf", "drop c1"}, [&] {
    read({1, 2, 3, 4, 5, -std::numeric_limits<double>::infinity()});
  });
  expect_error(ErrorKind::data, {"row 1", "'c1'", "1e+200", "rescale"}, [&] {
    read({1, 1e200, 3, 4, 5, 6});
  });
}

TEST(Npy, CategoriesOnRequest) {
  const TempFile file(npy("<f8", "(4, 2)", pack<double>({0, 3, 1, 1.5, 0, -2, 1, 3})), ".npy");
  TableOptions options = test::labels_in("c0");
  options.categorical = {"c1"};
  const TrainingTable result = read_training_table(file.path(), {}, options, silent_observer());
  EXPECT_EQ(result.data.feature_names, (std::vector<std::string>{"c1=-2", "c1=1.5", "c1=3"}));
  EXPECT_EQ(values(result.data.features), (std::vector<double>{0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1}));
}

TEST(Idx, ReadsEveryType) {
  EXPECT_EQ(read_rows(idx(0x08, {2, 1, 2}, "\x01\x02\xFF\x04")), (Rows{{1, 2}, {255, 4}}));
  EXPECT_EQ(read_rows(idx(0x09, {2, 2}, "\x01\x02\xFF\x04")), (Rows{{1, 2}, {-1, 4}}));
  EXPECT_EQ(read_rows(idx(0x0B, {2}, pack<std::int16_t>({-300, 7}, true))), (Rows{{-300}, {7}}));
  EXPECT_EQ(read_rows(idx(0x0C, {2}, pack<std::int32_t>({-70000, 7}, true))), (Rows{{-70000}, {7}}));
  EXPECT_EQ(read_rows(idx(0x0D, {2}, pack<float>({0.5, -2}, true))), (Rows{{0.5}, {-2}}));
  EXPECT_EQ(read_rows(idx(0x0E, {1, 2}, pack<double>({0.1, 1e50}, true))), (Rows{{0.1, 1e50}}));
  EXPECT_EQ(read_rows(test::gzip(idx(0x08, {2, 1}, "\x01\x02"))), (Rows{{1}, {2}}));
}

TEST(Arrays, DamagedGzipIsToldFromTheEndOfTheFile) {
  const std::string first = test::gzip(idx(0x08, {4, 1}, "\x01\x02"));
  const std::string second = test::gzip("\x03\x04");
  ASSERT_EQ(read_rows(first + second), (Rows{{1}, {2}, {3}, {4}}));
  std::string damaged = second;
  damaged[0] = 'x';
  expect_error(ErrorKind::data, {"row 2", "gzip"}, [&] { read_rows(first + damaged); });
  damaged = second;
  damaged.back() = 'x'; // behind the last row, but who knows what else is wrong
  expect_error(ErrorKind::data, {"row 4", "gzip"}, [&] { read_rows(first + damaged); });
  const std::string start = test::gzip(idx(0x08, {4, 1}, "").substr(0, 6));
  expect_error(ErrorKind::data, {"gzip"}, [&] { read_rows(start + "x"); });
}

TEST(Idx, RefusesDamage) {
  const auto refuse = [](const std::string& bytes, std::initializer_list<std::string> words) {
    expect_error(ErrorKind::data, words, [&] { read_rows(bytes); });
  };
  refuse(idx(0x08, {2, 2}, "\x01\x02\x03"), {"cut off", "2 rows of 2 columns", "after row 1"});
  refuse(idx(0x08, {2, 1}, "\x01\x02\x03"), {"bytes follow"});
  refuse(idx(0x08, {}, "\x01"), {"single number"});
  refuse(idx(0x08, {2, 2}, "").substr(0, 9), {"cut off within its IDX header"});
  refuse(idx(0x08, {4294967295, 4294967295, 4294967295}, "x"), {"too large to be true"});
  refuse(idx(0x08, {1, 65536, 65536}, "x"), {"columns", "at most"});
  refuse(idx(0x07, {1, 1}, "x"), {"zero byte"});
}

TEST(ReadArray, KeepsEveryColumnOfEveryRow) {
  const TempFile pixels(idx(0x08, {3, 1, 2}, std::string("\x01\x00\x01\x02\x01\x03", 6)), ".idx");
  const Matrix matrix = read_array(pixels.path());
  EXPECT_EQ(matrix.n_rows(), 3);
  EXPECT_EQ(values(matrix), (std::vector<double>{1, 0, 1, 2, 1, 3})); // the first column is constant
}

TEST(ReadArray, RefusesWhatItCannotUse) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const double wrong : {nan, inf, -inf}) {
    const TempFile file(npy("<f8", "(2, 2)", pack<double>({1.0, 2.0, 3.0, wrong})), ".npy");
    expect_error(ErrorKind::data, {file.path(), "row 2", "a finite number"},
                 [&] { read_array(file.path()); });
  }
  const TempFile empty(npy("<f8", "(0, 2)", ""), ".npy");
  expect_error(ErrorKind::data, {empty.path(), "no row"}, [&] { read_array(empty.path()); });
  const TempFile text("1,2\n3,4\n");
  expect_error(ErrorKind::data, {text.path(), "not an NPY or IDX file"}, [&] { read_array(text.path()); });
}

/// Counts how often it is asked whether to stop, and says yes from a time on.
class Stop : public Observer {
public:
  explicit Stop(int after) : after_(after) {}
  bool cancelled() const override { return ++n_asked > after_; }
  mutable int n_asked = 0;

private:
  int after_;
};

TEST(ReadArray, AsksEveryFewThousandRowsWhetherToStop) {
  const TempFile file(npy("|u1", "(10000, 1)", std::string(10000, '\x07')), ".npy");
  const int never = std::numeric_limits<int>::max();
  Stop patient(never);
  read_array(file.path(), patient);
  // Twice in 10000 rows, besides what reading the bytes asks: much more would be slow, less a wait.
  const TempFile short_file(npy("|u1", "(100, 1)", std::string(100, '\x07')), ".npy");
  Stop of_bytes(never);
  read_array(short_file.path(), of_bytes);
  EXPECT_EQ(patient.n_asked, of_bytes.n_asked + 2);

  for (int after = 0; after < patient.n_asked; ++after) {
    Stop stop(after);
    expect_error(ErrorKind::interrupted, {"interrupted"}, [&] { read_array(file.path(), stop); });
    EXPECT_EQ(stop.n_asked, after + 1);
  }
}

// Whole numbers have no other way to say that there is no label, but -1 may be a class.
TEST(LabelArrays, MinusOneIsNotedWhenItIsTakenForAClass) {
  const TempFile table(npy("|i1", "(6, 1)", std::string("\x01\x02\x03\x04\x05\x06", 6)), ".npy");
  const TempFile labels(npy("|i1", "(6,)", std::string("\xFF\x00\x01\x00\x01\xFF", 6)), ".npy");
  const auto read = [&](const std::string& missing, const std::vector<std::string>& classes) {
    TableOptions options = labels_from(labels);
    options.missing_label = missing;
    return read_training_table(table.path(), classes, options, silent_observer());
  };
  const TrainingTable silent = read("", {});
  EXPECT_EQ(silent.data.class_names, (std::vector<std::string>{"-1", "0", "1"}));
  ASSERT_EQ(silent.label_notes.size(), 1U);
  EXPECT_THAT(with_options(silent.label_notes[0], plain_style),
              testing::AllOf(testing::HasSubstr("-1"), testing::HasSubstr("taken for a class"),
                             testing::HasSubstr("missing_label -1")));
  EXPECT_TRUE(read("-1", {}).label_notes.empty());
  EXPECT_EQ(read("-1", {}).data.class_names.size(), 2U);
  EXPECT_TRUE(read("", {"-1", "0", "1"}).label_notes.empty());
}

} // namespace
} // namespace lacuna
