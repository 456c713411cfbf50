#include "lacuna/core/archive.hpp"

#include <array>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/expect_error.hpp"

namespace {

using lacuna::Archive;
using lacuna::ChoiceName;
using lacuna::Index;
using lacuna::Matrix;

template <typename Work>
void expect_data_error(Work work, const std::string& name) {
  lacuna::test::expect_error(lacuna::ErrorKind::data, {"'" + name + "'"}, work);
}

TEST(Archive, GivesBackWhatWasPut) {
  Archive archive;
  archive.put("number", 2.5);
  archive.put("vector", std::vector<double>{1, 2, 3});
  archive.put("matrix", Matrix(2, 3, {1, 2, 3, 4, 5, 6}));
  archive.put("tensor", lacuna::Tensor{{2, 1, 2}, {1, 2, 3, 4}});
  archive.put("empty", Matrix(0, 4));
  archive.put_text("text", "Grüße");
  EXPECT_EQ(archive.number("number"), 2.5);
  EXPECT_EQ(archive.vector("vector", 3), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(archive.matrix("matrix", 2, 3)(1, 0), 4);
  EXPECT_EQ(archive.tensor("tensor").shape, (std::vector<Index>{2, 1, 2}));
  EXPECT_EQ(archive.matrix("empty", 0, 4).n_cols(), 4);
  EXPECT_EQ(archive.text("text"), "Grüße");
  EXPECT_TRUE(archive.has("number"));
  EXPECT_TRUE(archive.has("text"));
  EXPECT_FALSE(archive.has("other"));
  archive.put("number", 3.0);
  EXPECT_EQ(archive.number("number"), 3.0);
}

TEST(Archive, MissingNamesAreNamed) {
  Archive archive;
  archive.put("a tensor", 1.0);
  archive.put_text("a text", "x");
  expect_data_error([&] { archive.tensor("a text"); }, "a text");
  expect_data_error([&] { archive.number("no"); }, "no");
  expect_data_error([&] { archive.integer("no", 0, 1); }, "no");
  expect_data_error([&] { archive.vector("no", 1); }, "no");
  expect_data_error([&] { archive.matrix("no", 1, 1); }, "no");
  expect_data_error([&] { archive.text("a tensor"); }, "a tensor");
}

TEST(Archive, OtherShapesAreRefused) {
  Archive archive;
  archive.put("vector", std::vector<double>{1, 2, 3});
  archive.put("matrix", Matrix(2, 3));
  archive.put("none", std::vector<double>{});
  expect_data_error([&] { archive.number("vector"); }, "vector");
  expect_data_error([&] { archive.number("none"); }, "none");
  expect_data_error([&] { archive.vector("vector", 2); }, "vector");
  expect_data_error([&] { archive.vector("matrix", 6); }, "matrix");
  expect_data_error([&] { archive.matrix("matrix", 3, 2); }, "matrix");
  expect_data_error([&] { archive.matrix("vector", 1, 3); }, "vector");
}

enum class Fruit { apple, pear, plum };
constexpr auto choice_names(Fruit) {
  return std::array{lacuna::ChoiceName{Fruit::apple, "apple"}, lacuna::ChoiceName{Fruit::pear, "pear"},
                    lacuna::ChoiceName{Fruit::plum, "plum"}};
}

TEST(Archive, ChoicesGoByNameAndOnceWentByNumber) {
  Archive archive;
  const auto fruit = [&] { return archive.choice<Fruit>("fruit"); };
  archive.put_choice("fruit", Fruit::plum);
  EXPECT_EQ(archive.text("fruit"), "plum");
  EXPECT_EQ(fruit(), Fruit::plum);
  archive.put_text("fruit", "cherry");
  expect_data_error(fruit, "fruit");
  archive = Archive();
  expect_data_error(fruit, "fruit");
  archive.put("fruit", 1.0);
  EXPECT_EQ(fruit(), Fruit::pear);
  for (const double wrong : {-1.0, 3.0, 0.5, std::nan("")}) {
    archive.put("fruit", wrong);
    expect_data_error(fruit, "fruit");
  }
}

TEST(Archive, IntegersAreWholeAndInsideTheirLimits) {
  Archive archive;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto integer_of = [&](double value) {
    archive.put("n", value);
    return archive.integer("n", -1, 10);
  };
  EXPECT_EQ(integer_of(-1.0), -1);
  EXPECT_EQ(integer_of(10.0), 10);
  for (const double wrong : {-2.0, 11.0, 0.5, 1e300, infinity, -infinity, std::nan("")})
    expect_data_error([&] { integer_of(wrong); }, "n");
}

} // namespace
