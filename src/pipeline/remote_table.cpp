#include "pipeline/remote_table.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "core/archive_checks.hpp"
#include "data/gather_pass.hpp"
#include "data/moments_pass.hpp"
#include "density/mixture_passes.hpp"
#include "learning/region_pass.hpp"
#include "learning/unlabeled_rows.hpp"
#include "model_io/archive_file.hpp"
#include "pipeline/mapped_table.hpp"

namespace lacuna {

namespace {

std::unique_ptr<RowPass> load_pass(const Archive& archive, const std::string& prefix) {
  require_shallow(prefix);
  const std::string& kind = saved_kind(archive, prefix);
  if (kind == MappedPass::name)
    return MappedPass::load(archive, prefix, load_pass(archive, prefix_behind(prefix)));
  if (kind == UnlabeledPass::name)
    return UnlabeledPass::load(archive, prefix, load_pass(archive, prefix_behind(prefix)));
  if (kind == MomentsPass::name) return std::make_unique<MomentsPass>();
  if (kind == GatherPass::name) return GatherPass::load(archive, prefix);
  if (kind == SeenMomentsPass::name) return SeenMomentsPass::load(archive, prefix);
  if (kind == WeightPass::name) return WeightPass::load(archive, prefix);
  if (kind == SamplePass::name) return SamplePass::load(archive, prefix);
  if (kind == AssignedPass::name) return AssignedPass::load(archive, prefix);
  if (kind == CollectPass::name) return CollectPass::load(archive, prefix);
  if (kind == RegionPass::name) return RegionPass::load(archive, prefix);
  fail_damaged(prefix + "kind", "names no pass");
}

/// Of what stands behind all lenses.
std::string counted_kind(const RowPass& pass) {
  const auto* const lens = dynamic_cast<const LensPass*>(&pass);
  return lens != nullptr ? counted_kind(lens->behind()) : pass.kind();
}

} // namespace

void RemoteTable::show(RowPass& pass, int /*threads*/, const Observer& observer) const {
  stop_if_cancelled(observer);
  Archive archive;
  save_pass(pass, archive, "");
  const std::vector<char> question = encode_archive(archive);
  const auto take = [&](std::string_view counts) {
    stop_if_cancelled(observer);
    pass.add_counts(decode_archive(counts, "counts of a part"));
  };
  ask_(counted_kind(pass), {question.data(), question.size()}, take, observer);
}

std::vector<char> count_part(std::string_view question, const TablePart& part) {
  const std::unique_ptr<RowPass> pass = load_pass(decode_archive(question, "a question"), "");
  const Index step = passing_block_rows(part.rows.n_cols);
  auto labeled = part.labeled.begin();
  for (Index done = 0; done < part.rows.n_rows; done += step) {
    const Index n = std::min(step, part.rows.n_rows - done);
    const Index first = part.first + done;
    const auto end = std::lower_bound(labeled, part.labeled.end(), first + n);
    pass->add({.rows = WeightedRows(part.rows.middle_rows(done, n)),
               .first = first,
               .labeled = {labeled, end},
               .n_labeled_before = part.n_labeled_before + (labeled - part.labeled.begin())},
              1, silent_observer());
    labeled = end;
  }
  Archive counts;
  pass->save_counts(counts);
  return encode_archive(counts);
}

} // namespace lacuna
