#include "refresh_site.hpp"

#include "oauth/journal/journal_pair.hpp"
#include "storage/posix_journal_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <span>

#include <sys/stat.h>

namespace shelfd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto lifetime = 168h;
constexpr auto age_when_due = 96h;

SiteOptions site_options(const RefreshSiteOptions& options)
{
    SiteOptions site;
    site.world.rows_of = {{"library/recipes", 1}};
    site.world.tokens.grace = options.grace;
    site.world.tokens.family_revocation = options.revokes_family;
    site.line = options.line;
    return site;
}

void replace_directory(const fs::path& from, const fs::path& to)
{
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
}

// Into the files that are there: others would be a copied store.
void overwrite_directory(const fs::path& from, const fs::path& to)
{
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

oauth::Journal::Opener opener(const std::string& path)
{
    return [path] { return storage::PosixJournalFile::open(path, oauth::journal_size); };
}

Instant wall_now()
{
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return Instant::from_micros(std::chrono::duration_cast<Duration>(since_epoch).count());
}

// Every intent has a sequence of its own, the same in both copies.
std::uint64_t count_intents(const std::vector<std::string>& journals)
{
    std::set<std::uint64_t> sequences;
    for (const auto& path : journals) {
        const auto text = read_file(path);
        const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
        for (std::size_t at = 0; at + oauth::slot_size <= bytes.size(); at += oauth::slot_size) {
            const auto read = oauth::decode_header(bytes.subspan(at, oauth::header_size));
            if (read.reading == oauth::HeaderReading::good && read.header.kind == oauth::RecordKind::intent) {
                sequences.insert(read.header.sequence);
            }
        }
    }
    return sequences.size();
}

}  // namespace

RefreshSite::RefreshSite(RefreshSiteOptions options) : options_(options), site_(site_options(options)), kept_tokens_(1)
{
    // The first run makes the mirror, which is no part of what is swept, with a set that is not due.
    give_set(0h);
    run(Trace::no);
    fs::remove_all(site_.directory() / "tokens/antwerp");
    give_set(age_when_due);
    if (options_.due == RefreshSiteOptions::Due::by_refusal) {
        site_.service().world()->expire_access("lib01");
    }
    keep();
    put_back();
}

std::string RefreshSite::journal(char copy) const
{
    return site_.directory() / (std::string("tokens/antwerp/journal.") + copy);
}

// As an import that was not sealed would have left it so long ago.
void RefreshSite::give_set(Duration age)
{
    const auto directory = site_.directory() / "tokens/antwerp";
    if (mkdir(directory.c_str(), 0700) != 0) {
        throw std::runtime_error("cannot make " + directory);
    }
    const auto view = site_.service().view_set("lib01");
    const auto client = site_.service().world()->library("lib01").client_id;
    oauth::TokenSet set;
    set.generation = 1;
    set.access = Secret(view.access_token);
    set.refresh = Secret(view.refresh_token);
    set.token_type = "Bearer";
    set.scope = view.scope;
    set.lifetime = lifetime;
    set.origin = oauth::Origin::left_alone;
    set.service = site_.service().url();
    set.client_id = client;
    set.library_id = "42";
    set.learned.canary_refuses = true;
    write_set(std::move(set), age);
}

void RefreshSite::write_set(oauth::TokenSet set, Duration age) const
{
    set.issued = {wall_now() - age, BootTime(), {}};
    oauth::JournalPair pair(opener(journal('a')), opener(journal('b')), "antwerp");
    must(pair.open());
    oauth::Id installation{};
    installation[0] = std::byte{1};
    pair.identify({"antwerp", installation, {}});
    if (pair.write_token(set, set.issued).copies != 2) {
        throw std::runtime_error("cannot write the journals");
    }
}

void RefreshSite::make_due()
{
    oauth::JournalPair pair(opener(journal('a')), opener(journal('b')), "antwerp");
    auto known = must(pair.open());
    write_set(std::move(*known.set), age_when_due);
}

void RefreshSite::keep()
{
    for (const char* part : {"tokens", "mirrors"}) {
        replace_directory(site_.directory() / part, kept_ / part);
    }
    kept_tokens_ = site_.service().world()->tokens;
    kept_at_ = wall_now();
    kept_intents_ = count_intents({journal('a'), journal('b')});
}

void RefreshSite::put_back()
{
    overwrite_directory(kept_ / "tokens", site_.directory() / "tokens");
    fs::remove(site_.directory() / "antwerp.generation");  // else this is a backup over a running store
    replace_directory(kept_ / "mirrors", site_.directory() / "mirrors");
    auto tokens = kept_tokens_;
    for (auto& generation : tokens.find_set(0, 0)->generations) {
        generation.spent_at = generation.spent_at + (wall_now() - kept_at_);
    }
    site_.service().world()->tokens = std::move(tokens);
    site_.service().world()->reset_audit();
}

TracedRun RefreshSite::run(Trace trace, const std::string& injection)
{
    const auto trace_file = site_.directory() / "trace";
    const auto is_traced = trace == Trace::yes || !injection.empty();
    const auto under = is_traced ? tracing_line(trace_file, injection) : std::vector<std::string>();
    TracedRun run;
    run.status = site_.start({"--once"}, under)->wait();
    if (is_traced) {
        run.calls = read_trace(trace_file);
    }
    return run;
}

SetFate RefreshSite::fate()
{
    oauth::JournalPair pair(opener(journal('a')), opener(journal('b')), "antwerp");
    const auto known = must(pair.open());
    const auto view = site_.service().view_set("lib01");
    const auto audit = site_.service().audit_report();
    SetFate fate;
    fate.alive = known.set && known.set->refresh.reveal() == view.refresh_token && view.refresh_lives;
    fate.standing = known.note                                                        ? known.note->standing
                    : known.set && known.set->origin == oauth::Origin::rest_of_answer ? oauth::Standing::lost
                                                                                      : oauth::Standing::good;
    fate.in_doubt = known.intent_open || fate.standing == oauth::Standing::in_doubt;
    fate.posts = audit.token_posts;
    fate.rotations = audit.refreshes;
    fate.reuses = audit.reuses_of_spent;
    fate.intents = count_intents({journal('a'), journal('b')}) - kept_intents_;
    return fate;
}

SetFate RefreshSite::settle()
{
    run(Trace::no);
    auto now = fate();
    if (now.in_doubt && !now.alive) {
        auto daemon = site_.start_ready();
        daemon->await("the doubt is resolved", [&] {
            now = fate();
            return !now.in_doubt;
        });
        daemon->kill();
    }
    return now;
}

std::string to_text(const SetFate& fate)
{
    return fmt::format("{}, standing {}{}, {} POSTs for {} intents, {} rotations, {} reuses",
                       fate.alive ? "alive" : "not alive", static_cast<int>(fate.standing),
                       fate.in_doubt ? " (in doubt)" : "", fate.posts, fate.intents, fate.rotations, fate.reuses);
}

}  // namespace shelfd
