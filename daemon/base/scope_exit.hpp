// Runs a function at the end of a scope, however the scope is left.
#pragma once

#include <utility>

namespace shelfd {

// In a coroutine also when its frame is destroyed. What the function refers to outlives the scope; it must not throw.
template <typename Function>
class [[nodiscard]] ScopeExit {
public:
    explicit ScopeExit(Function function) : function_(std::move(function)) {}
    ScopeExit(const ScopeExit&) = delete;
    ScopeExit& operator=(const ScopeExit&) = delete;
    ~ScopeExit() { function_(); }

private:
    Function function_;
};

}  // namespace shelfd
