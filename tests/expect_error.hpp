#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"

namespace lacuna::test {

/// Runs `work` and expects an Error of this kind whose text holds all the words.
template <typename Work>
void expect_error(ErrorKind kind, const std::vector<std::string>& words, Work work) {
  try {
    work();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    for (const std::string& word : words) EXPECT_THAT(error.what(), ::testing::HasSubstr(word));
  }
}

} // namespace lacuna::test
