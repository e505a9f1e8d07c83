#include "app/library/library_unit.hpp"

#include <algorithm>
#include <numeric>

namespace shelfd::app {

void LibraryUnit::follow_parents()
{
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (const auto& parent = library_.resources[i].parent) {
            const auto* named = library_.find_resource(parent->resource);
            workers_[i]->follow(*workers_[static_cast<std::size_t>(named - library_.resources.data())]);
        }
    }
}

std::vector<sync::ResourceWorker*> LibraryUnit::parents_first() const
{
    const auto depth = [this](std::size_t place) {
        std::size_t deep = 0;
        for (const auto* one = &library_.resources[place]; one->parent; ++deep) {
            one = library_.find_resource(one->parent->resource);
        }
        return deep;
    };
    std::vector<std::size_t> places(workers_.size());
    std::iota(places.begin(), places.end(), 0U);
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return depth(a) < depth(b); });
    std::vector<sync::ResourceWorker*> ordered;
    for (const auto place : places) {
        ordered.push_back(workers_[place].get());
    }
    return ordered;
}

}  // namespace shelfd::app
