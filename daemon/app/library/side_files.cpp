#include "app/library/side_files.hpp"

#include <utility>

namespace shelfd::app {

void SideFiles::watch()
{
    auto gone = [this] {
        if (!is_closed_ && !std::exchange(is_replacing_, true)) {
            tasks_.keep("the mirror's side files", replace());
        }
    };
    directories_.watch(path_, library_, std::move(gone));
}

asio::awaitable<void> SideFiles::replace()
{
    is_replacing_ = false;
    auto work = [this] { return mirror_.keep_readable(); };
    if (const auto kept = co_await lane_.run(work); !kept) {
        // The next pass meets the same error and reports it.
        log_.debug("readers may be locked out: " + kept.error().text(), {{"library", library_}});
    }
    looked_();
}

}  // namespace shelfd::app
