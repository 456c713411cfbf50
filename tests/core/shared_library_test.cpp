#include "core/shared_library.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(SharedLibrary, TakesTheFirstPlaceThatThereIs) {
  const SharedLibrary library =
      SharedLibrary::open({"/nowhere/libfirst.so", "libm.so.6", "/nowhere/libthird.so"});
  ASSERT_NE(library.handle, nullptr);
  EXPECT_EQ(library.place, "libm.so.6");
  EXPECT_NE(library.tried.find("/nowhere/libfirst.so"), std::string::npos);
  EXPECT_EQ(library.tried.find("/nowhere/libthird.so"), std::string::npos);
  const auto root = library.find<double (*)(double)>("sqrt");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root(9.0), 3.0);
  EXPECT_EQ(library.find<void (*)()>("no_such_function"), nullptr);
}

TEST(SharedLibrary, SaysWhatItTried) {
  const SharedLibrary none = SharedLibrary::open({"/nowhere/liba.so", "/nowhere/libb.so"});
  EXPECT_EQ(none.handle, nullptr);
  EXPECT_EQ(none.find<void (*)()>("sqrt"), nullptr);
  EXPECT_NE(none.tried.find("liba.so"), std::string::npos);
  EXPECT_NE(none.tried.find("libb.so"), std::string::npos);
}

} // namespace
} // namespace lacuna
