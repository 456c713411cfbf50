#pragma once

#include <vector>

#include "density/mixture_moments.hpp"
#include "density/mixture_terms.hpp"
#include "density/row_products.hpp"

namespace lacuna {

/// A mixture on its way to matrix products and back (docs/math/products.md): products of rows lose digits
/// where a component is tight and far from the frame's centre, so such components are centred one by one.
class ProductForm {
public:
  explicit ProductForm(const MixtureTerms& terms);

  /// Whether products can evaluate terms of this kind: Gaussian or Student-t ones of numbers alone.
  static bool suits(const MixtureTerms& terms);

  const ProductMixture& mixture() const { return mixture_; }
  Index n_far() const { return static_cast<Index>(far_.size()); }
  /// The sums, about the components' centres as collect_moments takes them. For Gaussian terms.
  MixtureMoments moments(const ProductSums& sums) const;

private:
  void add_near(Index k, double* form);
  void add_far(Index k, Index place);

  const MixtureTerms& terms_;
  std::vector<Index> near_;
  std::vector<Index> far_;
  ProductMixture mixture_;
};

} // namespace lacuna
