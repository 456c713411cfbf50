#pragma once

#include <string>
#include <vector>

#include "lacuna/pipeline/explain.hpp"

namespace lacuna {

/// An explanation in sentences.
std::vector<std::string> words_of(const Explanation& found);
/// What a part of an answer stands for.
std::string source_words(AnswerSource source);

} // namespace lacuna
