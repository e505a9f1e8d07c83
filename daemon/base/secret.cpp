#include "base/secret.hpp"

#include <cstring>

namespace shelfd {

Secret& Secret::operator=(Secret&& other) noexcept
{
    if (this != &other) {
        wipe(text_);
        text_ = std::move(other.text_);
        wipe(other.text_);
    }
    return *this;
}

bool Secret::equals(const Secret& other) const
{
    if (text_.size() != other.text_.size()) {
        return false;
    }
    unsigned char difference = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
        difference = static_cast<unsigned char>(difference | (text_[i] ^ other.text_[i]));
    }
    return difference == 0;
}

void Secret::wipe(std::string& text) noexcept
{
    // Includes the small-string buffer: a moved-from short string keeps its bytes.
    text.resize(text.capacity());
    explicit_bzero(text.data(), text.size());
    text.clear();
}

}  // namespace shelfd
