// Everything the simulated service knows, and the verbs by which a test changes it.
#pragma once

#include "base/instant.hpp"
#include "sim/audit.hpp"
#include "sim/catalogue.hpp"
#include "sim/faults.hpp"
#include "sim/list_answer.hpp"
#include "sim/list_data.hpp"
#include "sim/service_clock.hpp"
#include "sim/throttle.hpp"
#include "sim/token_book.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sim {

struct WorldOptions {
    std::size_t libraries = 1;
    std::uint64_t seed = 1;
    std::size_t rows = 100;                           // of each list that has no size of its own
    std::map<std::string, std::size_t> rows_of = {};  // "library/recipes" → so many
    std::string scope = std::string(all_scopes);      // of the first set of each library
    TokenPolicy tokens = {};
    ThrottlePolicy throttle = {};
};

// A customer: an application with its credentials, a user who consents, and data.
struct Library {
    std::string name;  // "lib01": how tests call it, and its user's name
    std::int64_t id;   // 42 for the first
    std::string title;
    std::string client_id;
    std::string client_secret;
    std::vector<std::string> redirect_uris;  // beside {base_url}/auth-code/, which is always registered
    std::map<std::string, ListData> lists;   // seeded when first looked at
    Throttle throttle;
    std::optional<std::size_t> user = {};  // the number of the library whose user its tokens are; nothing: its own
};

// What the person at the authorization page does.
enum class Consent { form, automatic, refused, signed_out };

struct AuthorizationCode {
    std::size_t library;
    std::string redirect_uri;
    std::string scope;
    std::string challenge;  // PKCE; "" without
    std::string challenge_method;
    Instant issued;
    bool used = false;
};

// Where a bearer token stands, for tests that must know.
struct SetView {
    std::string access_token;
    std::string refresh_token;
    std::string scope;
    std::size_t generation;  // 1 as issued, one more for each refresh
    Instant expires;
    bool access_lives;
    bool refresh_lives;
};

// Not thread-safe: reached through Service, which locks. A library's name that is not there is a fault of the test and
// aborts; ask `find_library` where it comes from outside. Sets are counted from 0 in the order of issue.
class World {
public:
    explicit World(WorldOptions options);

    // Libraries and their rows. A path is "library/recipes", without /api/v2/ and without a slash at either end.
    Library* find_library(std::string_view name);
    Library& library(std::string_view name);
    Library& library_at(std::size_t number) { return libraries_[number]; }
    std::size_t number_of(const Library& library) const
    {
        return static_cast<std::size_t>(&library - libraries_.data());
    }
    Library* library_of_client(std::string_view client_id);
    // The library by whose name its user goes.
    Library& user_of(std::size_t number) { return libraries_[libraries_[number].user.value_or(number)]; }
    std::size_t library_count() const { return libraries_.size(); }
    // nullptr when there is no such list, or its parent row is not there.
    ListData* find_list(Library& library, const std::string& path);
    std::size_t row_count(std::string_view library, const std::string& path);
    // Every item in the default order, as a client at `origin` is shown them: "[…]".
    std::string rows(std::string_view library, const std::string& path, std::string_view origin);
    void edit(std::string_view library, const std::string& path, const Edit& edit);
    // Between two pages: when `page` of the next walk has been answered.
    void edit_after(std::string_view library, const std::string& path, std::size_t page, Edit edit);
    ListQuirks& quirks(const std::string& path) { return quirks_[path]; }

    // Token sets.
    TokenPair issue_set(std::string_view library, std::string scope = std::string(all_scopes));
    TokenSet& set(std::string_view library, std::size_t number = 0);
    SetView view_set(std::string_view library, std::size_t number = 0);
    void expire_access(std::string_view library, std::size_t number = 0);
    // The access token's row alone: a refresh then answers 500, for good.
    void drop_access_row(std::string_view library, std::size_t number = 0);
    void revoke_set(std::string_view library, std::size_t number = 0);

    Instant now() const { return clock.now(); }
    AuditReport audit_report() const;
    void reset_audit();

    ServiceClock clock;
    TokenBook tokens;
    ThrottlePolicy throttle;
    FaultScript faults;
    Audit audit;
    Consent consent = Consent::form;
    bool identity_names_user = false;  // the page of the current library, in a member user
    std::map<std::string, AuthorizationCode> codes;

private:
    ListData& list(std::string_view library, const std::string& path);
    ListData* find_child_list(Library& library, const std::string& path, const ListSpec& spec);

    WorldOptions options_;
    std::vector<Library> libraries_;
    std::map<std::string, ListQuirks> quirks_;
};

}  // namespace shelfd::sim
