#include "app/library/start_places.hpp"

namespace shelfd::app {

class StartPlaces::Place {
public:
    explicit Place(StartPlaces& places) : places_(places) { ++places_.taken_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place()
    {
        --places_.taken_;
        places_.freed_.notify_all();
    }

private:
    StartPlaces& places_;
};

asio::awaitable<void> StartPlaces::run(std::function<void()> begin, std::function<bool()> is_over, AsyncEvent& changed)
{
    while (taken_ >= max_at_once) {
        co_await freed_.wait();
    }
    const Place place(*this);
    begin();
    const auto latest = clock_.boot_now() + longest;
    while (!is_over() && clock_.boot_now() < latest) {
        co_await clock_.wait_until(latest, changed);
    }
}

}  // namespace shelfd::app
