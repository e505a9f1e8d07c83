// A token set as a person pastes it, and as another machine sends it.
#include "oauth/set/pasted_set.hpp"
#include "fuzz/input.hpp"
#include "oauth/set/moved_set.hpp"
#include "oauth/set/token_answer.hpp"
#include "oauth/set/token_set.hpp"

using namespace shelfd;
using namespace shelfd::oauth;
using fuzz::promise;

namespace {

void check_error(const Error& error, std::string_view pasted)
{
    promise(!error.text().empty(), "a paste that is none has a reason");
    promise(!fuzz::quotes(error.text(), pasted), "which quotes nothing of it");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text_of(data, size);
    const auto pasted = parse_paste(text);
    if (pasted) {
        promise(is_token_text(pasted->access.reveal()), "an access token can go into a header");
        promise(pasted->refresh.empty() || is_refresh_text(pasted->refresh.reveal()),
                "a refresh token can go into a form");
        promise(!pasted->lifetime || *pasted->lifetime >= Duration(0), "a lifetime is one");
    } else {
        check_error(pasted.error(), text);
    }
    auto moved = read_moved_set(text);
    if (!moved) {
        check_error(moved.error(), text);
        return 0;
    }
    TokenSet set;
    set.generation = moved->from.generation;
    set.access = moved->set.access.clone();
    set.refresh = moved->set.refresh.clone();
    set.token_type = moved->set.token_type;
    set.scope = moved->set.scope;
    set.lifetime = moved->set.lifetime.value_or(Duration(0));
    set.service = moved->from.service;
    set.client_id = moved->from.client_id;
    set.library_id = moved->from.library_id;
    const auto written = write_moved_set(set, moved->from.library, Instant());
    const auto again = read_moved_set(written.reveal());
    promise(again && again->set.access.equals(moved->set.access) && again->set.refresh.equals(moved->set.refresh) &&
                again->from.library == moved->from.library && again->from.generation == moved->from.generation &&
                again->from.library_id == moved->from.library_id,
            "a set is written and read as the same");
    return 0;
}
