// An allocator that overwrites memory before it is freed: for buffers that hold token sets.
#pragma once

#include <cstddef>
#include <memory>

#include <string.h>

namespace shelfd::control {

// Stateless, like std::allocator.
template <typename T>
struct WipingAllocator {
    using value_type = T;

    WipingAllocator() = default;
    template <typename U>
    WipingAllocator(const WipingAllocator<U>&)
    {
    }

    T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
    void deallocate(T* memory, std::size_t count)
    {
        explicit_bzero(memory, count * sizeof(T));
        std::allocator<T>().deallocate(memory, count);
    }

    friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

}  // namespace shelfd::control
