#pragma once

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

// How lacuna's own are read back; conditional.cpp has the list.
ConditionalEntry boosting_entry();    // boosted_trees.cpp
ConditionalEntry class_prior_entry(); // class_prior.cpp
ConditionalEntry forest_entry();      // forest.cpp
ConditionalEntry logistic_entry();    // logistic.cpp
ConditionalEntry stack_entry();       // stack.cpp

} // namespace lacuna
