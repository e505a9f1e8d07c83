// A copy-on-write list: a thousand libraries share what they take from the same tables.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace shelfd::config {

// Copies share their elements until one copy is changed. Elements do not move as long as any copy exists and none is
// changed. Not thread-safe.
template <typename Element>
class SharedList {
public:
    using value_type = Element;
    using const_iterator = typename std::vector<Element>::const_iterator;

    SharedList() = default;
    SharedList& operator=(std::vector<Element> elements)
    {
        shared_ = std::make_shared<std::vector<Element>>(std::move(elements));
        return *this;
    }

    const_iterator begin() const { return shared_->begin(); }
    const_iterator end() const { return shared_->end(); }
    std::size_t size() const { return shared_->size(); }
    bool empty() const { return shared_->empty(); }
    const Element* data() const { return shared_->data(); }
    const Element& operator[](std::size_t place) const { return (*shared_)[place]; }
    const Element& front() const { return shared_->front(); }
    const Element& back() const { return shared_->back(); }

    // Returns the elements for modification; this copy shares nothing from then on.
    std::vector<Element>& own()
    {
        if (shared_.use_count() > 1) {
            shared_ = std::make_shared<std::vector<Element>>(*shared_);
        }
        return *shared_;
    }

    friend bool operator==(const SharedList& a, const SharedList& b)
    {
        return a.shared_ == b.shared_ || *a.shared_ == *b.shared_;
    }

private:
    std::shared_ptr<std::vector<Element>> shared_ = std::make_shared<std::vector<Element>>();
};

}  // namespace shelfd::config
