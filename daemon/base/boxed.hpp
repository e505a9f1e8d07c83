// An optional value on the heap: it costs one pointer while empty. For large values that are often absent.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace shelfd {

template <typename Value>
class Boxed {
public:
    Boxed() = default;
    Boxed& operator=(Value value)
    {
        box_ = std::make_unique<Value>(std::move(value));
        return *this;
    }
    Boxed& operator=(std::optional<Value> value)
    {
        box_ = value ? std::make_unique<Value>(std::move(*value)) : nullptr;
        return *this;
    }
    void reset() { box_.reset(); }

    bool has_value() const { return box_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    Value& operator*() { return *box_; }
    const Value& operator*() const { return *box_; }
    Value* operator->() { return box_.get(); }
    const Value* operator->() const { return box_.get(); }

private:
    std::unique_ptr<Value> box_;
};

}  // namespace shelfd
