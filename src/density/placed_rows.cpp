#include "density/placed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "core/pass_place.hpp"
#include "core/torch_library.hpp"
#include "density/product_mixture.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// In the frame's units; squares of more say nothing beside those of other rows (docs/math/products.md).
constexpr double largest_value = 1e5;

/// Does work over there; false where its memory does not suffice.
template <class Work>
bool has_memory(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_resources) throw;
    PassesAt::note_no_memory(error);
    return false;
  }
}

} // namespace

std::unique_ptr<PlacedRows> PlacedRows::place(const WeightedRows& rows, const Frame& frame) {
  const PassPlace place = PassesAt::place();
  const Index n = rows.size();
  const Index d = frame.n_features();
  if (place == PassPlace::kernels || n < least_placed_rows || d == 0 || !frame.categories.empty())
    return nullptr;
  const auto& plugin = torch_plugin<RowProductsPlugin>(row_products_symbol);
  std::unique_ptr<RowProducts> placed;
  const auto make = [&] { placed = plugin.place_rows(n, d, place == PassPlace::gpu); };
  if (!has_memory(make)) return nullptr;
  std::vector<double> features(at(std::min(n, rows_per_journey) * d));
  std::vector<double> weights(at(std::min(n, rows_per_journey)));
  for (Index first = 0; first < n; first += rows_per_journey) {
    const Index count = std::min(rows_per_journey, n - first);
    for (Index j = 0; j < d; ++j) {
      const Index column = frame.columns[at(j)];
      const double center = frame.center[at(j)];
      const double inverse_scale = 1.0 / frame.scale[at(j)];
      double* const to = features.data() + j * count;
      bool is_in_reach = true;
      for (Index b = 0; b < count; ++b) {
        to[b] = (rows.row(first + b)[column] - center) * inverse_scale;
        is_in_reach &= std::abs(to[b]) <= largest_value;
      }
      if (!is_in_reach) return nullptr;
    }
    for (Index b = 0; b < count; ++b) weights[at(b)] = rows.weight(first + b);
    if (!has_memory([&] { placed->put(first, count, features.data(), weights.data()); })) return nullptr;
  }
  return std::unique_ptr<PlacedRows>(new PlacedRows(std::move(placed)));
}

std::optional<MixtureMoments> PlacedRows::collect(const MixtureTerms& terms) const {
  const ProductForm form(terms);
  std::optional<MixtureMoments> moments;
  if (rows_ != nullptr && !has_memory([&] { moments = form.moments(rows_->collect(form.mixture())); }))
    rows_.reset();
  return moments;
}

bool PlacedRows::log_density(const MixtureTerms& terms, std::span<double> out) const {
  return rows_ != nullptr && has_memory([&] { rows_->log_density(ProductForm(terms).mixture(), out); });
}

} // namespace lacuna
