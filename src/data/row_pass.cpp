#include "data/row_pass.hpp"

#include <algorithm>

namespace lacuna {

bool PassingRows::is_labeled(Index number) const {
  return std::ranges::binary_search(labeled, number);
}

void LensPass::save(Archive& archive, const std::string& prefix) const {
  save_lens(archive, prefix);
  save_pass(*behind_, archive, prefix_behind(prefix));
}

void save_pass(const RowPass& pass, Archive& archive, const std::string& prefix) {
  archive.put_text(prefix + "kind", pass.kind());
  pass.save(archive, prefix);
}

const std::string& saved_kind(const Archive& archive, const std::string& prefix) {
  return archive.text(prefix + "kind");
}

std::string prefix_behind(const std::string& prefix) {
  return prefix + "behind/";
}

} // namespace lacuna
