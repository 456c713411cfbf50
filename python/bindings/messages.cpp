#include "messages.hpp"

#include <algorithm>
#include <cctype>

#include "lacuna/pipeline/settings.hpp"

namespace lacuna::python {

namespace {

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool is_setting(const std::string& word) {
  const std::vector<FitSetting>& all = fit_settings();
  return std::any_of(all.begin(), all.end(), [&](const FitSetting& setting) { return setting.name == word; });
}

} // namespace

std::string in_python_words(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part_of_word(text[end])) ++end;
    std::string word = text.substr(i, end - i);
    const bool is_option = word.starts_with("--");
    if (is_option) word.erase(0, 2);
    if (is_option || is_setting(word)) std::replace(word.begin(), word.end(), '-', '_');
    result += word;
    if (end < text.size()) result += text[end];
    i = end + 1;
  }
  return result;
}

} // namespace lacuna::python
