// How much memory the answers may take that were asked for before anybody waits for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace shelfd::sync {

// One object for all libraries of the daemon: hundreds of walks at once would else keep eight pages each. A walk that
// gets no share asks for its pages one by one. Loop only. Shares may outlive it.
class AnswerRoom {
public:
    static constexpr std::uint64_t usual_bytes = 16U << 20U;

    // Given back when it dies.
    class [[nodiscard]] Share {
    public:
        Share(Share&& other) noexcept = default;
        Share& operator=(Share&&) = delete;
        ~Share() { resize(0); }

        // The answer is there, and takes so much.
        void resize(std::uint64_t bytes)
        {
            if (taken_) {
                *taken_ += bytes - bytes_;
                bytes_ = bytes;
            }
        }

    private:
        friend class AnswerRoom;
        Share(std::shared_ptr<std::uint64_t> taken, std::uint64_t bytes) : taken_(std::move(taken)) { resize(bytes); }

        std::shared_ptr<std::uint64_t> taken_;
        std::uint64_t bytes_ = 0;
    };

    explicit AnswerRoom(std::uint64_t bytes = usual_bytes) : bytes_(bytes) {}
    AnswerRoom(const AnswerRoom&) = delete;
    AnswerRoom& operator=(const AnswerRoom&) = delete;

    // For an answer of about so many bytes; nothing while there is no room for it.
    std::optional<Share> take(std::uint64_t bytes)
    {
        return bytes_ - std::min(bytes_, *taken_) >= bytes ? std::optional(Share(taken_, bytes)) : std::nullopt;
    }
    std::uint64_t taken() const { return *taken_; }

private:
    std::uint64_t bytes_;
    std::shared_ptr<std::uint64_t> taken_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace shelfd::sync
