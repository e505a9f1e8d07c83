// The file that remembers requests across a crash.
#include "budget/request_log.hpp"
#include "fuzz/input.hpp"
#include "fuzz/scratch_file.hpp"

#include <algorithm>

using namespace shelfd;
using budget::RequestLog;
using fuzz::promise;

namespace {

constexpr auto boot_id = "5c1a2f6e-0d6b-4b0e-9a55-2f1f5f0f8d11";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const fuzz::ScratchFile file;
    file.fill(fuzz::text_of(data, size));
    const auto now = BootTime::from_micros(1'000'000'000'000);
    std::uint32_t used = 0;
    {
        auto log = RequestLog::open(file.path(), boot_id, now, 4);
        promise(log.has_value(), "a log is opened whatever it holds");
        promise(std::is_sorted(log->ended().begin(), log->ended().end()), "what ended is in order");
        promise(log->ended().empty() || log->ended().back().first <= now, "nothing has ended in the future");
        promise(log->in_flight() == 0, "nothing is in flight yet");
        promise(log->limit().most <= 65'535, "a limit is one");
        const auto slot = log->begin();
        log->end(slot, now + Duration(1));
        used = log->used();
        promise(used >= 1 && log->write_errno() == 0, "a request is written down");
    }
    const auto again = RequestLog::open(file.path(), boot_id, now + Duration(2), 4);
    promise(again && again->past() == RequestLog::Past::known, "what was opened once is known from then on");
    promise(again->used() == used, "no request is forgotten");
    return 0;
}
