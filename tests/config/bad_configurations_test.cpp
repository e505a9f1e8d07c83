#include "files.hpp"

#include "support/catch.hpp"

#include <set>
#include <string>

using namespace shelfd;
using test::ConfigFiles;

namespace {

struct Bad {
    const char* name;
    std::string text;
    unsigned line;
    unsigned column;
    const char* says;
};

// Each text is followed by a library that is right, and has this one thing wrong.
void check(const Bad* begin, const Bad* end)
{
    std::set<std::string> names;
    for (const auto* row = begin; row != end; ++row) {
        INFO(row->name);
        CHECK(names.insert(row->name).second);
        const ConfigFiles files(row->text + "\n" + test::good_library);
        const auto outcome = files.load({{"SET", "value"}});
        CHECK_FALSE(outcome.configuration.has_value());
        INFO(test::list(files, outcome.faults));
        REQUIRE(outcome.faults.size() == 1);
        const auto& fault = outcome.faults.front();
        CHECK(fault.position.file == files.path("shelfd.toml"));
        CHECK(fault.position.line == row->line);
        CHECK(fault.position.column == row->column);
        CHECK(fault.text.find(row->says) != std::string::npos);
        CHECK(fault.text.find('\n') == std::string::npos);
        CHECK(fault.text.find("hush") == std::string::npos);
    }
}

template <std::size_t Count>
void check(const Bad (&rows)[Count])
{
    check(rows, rows + Count);
}

// A library "l" that lacks nothing, with `more` from line 5 on.
std::string library(const std::string& more)
{
    return R"([library.l]
base_url = "https://l.example.com"
client_id = "l"
client_secret = { command = ["/bin/true"] }
)" + more;
}

// A resource "r" that lacks nothing, with `more` from line 4 on.
std::string resource(const std::string& more)
{
    return "[resource.r]\npath = \"/r/\"\nevery = \"1h\"\n" + more;
}

}  // namespace

TEST_CASE("a fault of syntax is told once, at its place")
{
    const Bad rows[] = {
        {"no value", "[service]\nbase_url =", 2, 11, "expected value"},
        {"open string", "[service]\nbase_url = \"https", 2, 18, "string"},
        {"open heading", "[service\nbase_url = 1", 1, 9, "expected ']'"},
        {"the same key twice", "[log]\nlevel = \"info\"\nlevel = \"debug\"", 3, 9, "cannot redefine"},
        {"the same library twice", "[library.a]\n\n[library.a]", 3, 1, "cannot redefine"},
        {"two inline lines", "[service]\nidentity = { path = \"/\",\n field = \"id\" }", 2, 25, "inline table"},
        {"an integer beyond 64 bits", "[service]\npage_size = 99999999999999999999", 2, 33, "64 bits"},
        {"bytes that are no UTF-8", "[service]\ncontact = \"\xff\xfe\"", 2, 11, "utf-8"},
        {"a bare secret", "[application.a]\nclient_secret = hushhush", 2, 17, "value"},
        {"a secret that begins as a word", "[application.a]\nclient_secret = falshush", 2, 21, "boolean"},
    };
    check(rows);
}

TEST_CASE("an unknown key is told with the nearest known one, or with its home")
{
    const Bad rows[] = {
        {"a letter missing", "[service]\nbas_url = \"x\"", 2, 1, "nearest known key is \"base_url\""},
        {"another word for it", "[service]\nintrospect_path = \"/x/\"", 2, 1,
         "nearest known key is \"introspection_path\""},
        {"letters swapped", "[storage]\nmirorrs = \"/m\"", 2, 1, "nearest known key is \"mirrors\""},
        {"a section", "[servise]\nbase_url = \"x\"", 1, 2, "nearest known key is \"service\""},
        {"a key without a section", "in_flight = 3", 1, 1, "it belongs in [service]"},
        {"in the wrong section", "[service]\nsocket = \"/s\"", 2, 1, "it belongs in [control]"},
        {"in a resource", resource("evry = \"1h\""), 4, 1, "nearest known key is \"every\""},
        {"in the defaults", "[defaults]\nspaly = \"1%\"", 2, 1, "nearest known key is \"splay\""},
        {"with a line break", "[defaults]\n\"spl\\nay\" = \"1%\"", 2, 1, R"(unknown key "spl\u000Aay")"},
        {"in an application", "[application.a]\nclientid = \"a\"", 2, 1, "nearest known key is \"client_id\""},
        {"in a library", library("aplication = \"a\"\n") + resource(""), 5, 1, "nearest known key is \"application\""},
        {"in an override", library("[library.l.resource.good]\npath = \"/x\"\nevery = \"1h\"\nkeys = \"id\""), 8, 1,
         "nearest known key is \"key\""},
        {"in identity", "[service]\nidentity = { path = \"/me/\", field = \"id\", kind = 1 }", 2, 43,
         "unknown key \"kind\" in [identity]"},
        {"in a secret", "[application.a]\nclient_secret = { fil = \"/x\" }", 2, 19, "unknown key \"fil\""},
        {"like none", "[service]\nwebhook = \"x\"", 2, 1,
         "unknown key \"webhook\" in [service]; no known key is similar; shelfd.toml(5) lists them all"},
        {"like none, and short", "[log]\nzz = \"x\"", 2, 1,
         "unknown key \"zz\" in [log]; known keys are level, format"},
        {"like none at the top", "[colours]\nred = \"x\"", 1, 2, "no known key is similar"},
    };
    check(rows);
}

TEST_CASE("libraries that the service counts together have one limit")
{
    const auto second = [](const std::string& more) {
        return library("") + resource("") +
               "[library.m]\nbase_url = \"https://m.example.com\"\nclient_id = \"m\"\n"
               "client_secret = { command = [\"/bin/true\"] }\n" +
               more;
    };
    const Bad rows[] = {
        {"each its own",
         library("limit_group = \"g\"\n") + resource("") +
             "[library.m]\nbase_url = \"https://m.example.com\"\nclient_id = \"m\"\n"
             "client_secret = { command = [\"/bin/true\"] }\nlimit_group = \"g\"\nrate_limit = \"60/min\"",
         14, 14, "library m shares the limit_group \"g\" with library l ("},
        {"the group of another library's name", second("limit_group = \"l\"\nrate_limit = \"50/min\""), 13, 14,
         "but its rate_limit is \"50/min\", not \"100/min\": set the same in both, or give one of them another"},
        {"another share for others", second("limit_group = \"l\"\nleave = 10"), 13, 9,
         "but its leave is 10, not 0: set the same in both"},
        {"no limit in one", second("rate_limit = \"none\"\nlimit_group = \"l\""), 12, 14,
         "its rate_limit is \"none\", not \"100/min\""},
        {"the other says it",
         library("rate_limit = \"30/min\"\n") + resource("") +
             "[library.m]\nbase_url = \"https://m.example.com\"\nclient_id = \"m\"\n"
             "client_secret = { command = [\"/bin/true\"] }\nlimit_group = \"l\"",
         13, 15, "its rate_limit is \"100/min\", not \"30/min\""},
    };
    check(rows);
}

TEST_CASE("a limit and a day of which nothing is left are refused")
{
    const Bad rows[] = {
        {"all of the limit", library("rate_limit = \"30/min\"\nleave = 30\n") + resource(""), 6, 9,
         "leave = 30 leaves this daemon nothing of rate_limit = \"30/min\""},
        {"all of the day", library("quiet = [\"06:00-22:00\", \"22:00-06:00\"]\n") + resource(""), 5, 9,
         "`quiet` leaves no time of the day for requests"},
    };
    check(rows);
}

TEST_CASE("incremental and full passes say what they need and what they do not go with")
{
    const std::string filter = "incremental = { param = \"since\", field = \"modified\" }\n";
    const Bad rows[] = {
        {"no field", resource("incremental = { param = \"since\" }"), 4, 15, "incremental needs field"},
        {"no param", resource("incremental = { field = \"modified\" }"), 4, 15, "incremental needs param"},
        {"another format", resource("incremental = { param = \"since\", field = \"m\", format = \"unix\" }"), 4, 56,
         "must be \"datetime\" or \"date\""},
        {"an unknown key", resource("incremental = { param = \"since\", field = \"m\", overlaps = \"1d\" }"), 4, 47,
         "unknown key \"overlaps\" in [incremental]; the nearest known key is \"overlap\""},
        {"an overlap too long", resource("incremental = { param = \"since\", field = \"m\", overlap = \"40d\" }"), 4,
         57, "overlap must be a duration from 0s to 30d"},
        {"days that overlap by less than one",
         resource("incremental = { param = \"since\", field = \"m\", format = \"date\", overlap = \"1h\" }"), 4, 15,
         "at least 1d with format = \"date\""},
        {"of one object", resource("answers = \"object\"\n" + filter), 5, 1, "incremental needs a list"},
        {"full without incremental", resource("full = { at = [\"03:30\"] }"), 4, 1,
         "remove `full`, or add `incremental`"},
        {"full without a time", resource(filter + "full = { days = [\"mon\"] }"), 5, 8, "`full` needs `at` or `every`"},
        {"full with both", resource(filter + "full = { at = [\"03:30\"], every = \"1d\" }"), 5, 8,
         "`full` has both `at` and `every`"},
        {"days of an interval", resource(filter + "full = { every = \"1d\", days = [\"mon\"] }"), 5, 8,
         "need `at` and have no effect"},
        {"the key excluded", resource("exclude = [\"name\", \"id\"]"), 4, 20, "id is the key of r"},
        {"no name between two dots", resource("exclude = [\"owner..email\"]"), 4, 12, "names joined by single dots"},
        {"no table", resource("incremental = \"since\""), 4, 15, "incremental must be a table, not a string"},
    };
    check(rows);
}

TEST_CASE("details say what they need and what they do not go with")
{
    const Bad rows[] = {
        {"nowhere", resource("detail = { refresh_within = \"7d\" }"), 4, 10, "needs either url_field or path"},
        {"in two places", resource("detail = { url_field = \"url\", path = \"/r/{id}/\" }"), 4, 10,
         "needs either url_field or path"},
        {"one path for all", resource("detail = { path = \"/r/detail/\" }"), 4, 19, "must contain {id}"},
        {"a name without a value", resource("detail = { path = \"/r/{id}/{region}/\" }"), 4, 19,
         "{region} has no value for library good"},
        {"a brace left open", resource("detail = { path = \"/r/{id}/{/\" }"), 4, 19, "braces only as {name}"},
        {"a complete address", resource("detail = { path = \"https://x.test/{id}/\" }"), 4, 19,
         "must be a path without scheme and host"},
        {"a time too short", resource("detail = { url_field = \"url\", refresh_within = \"1s\" }"), 4, 48,
         "refresh_within must be a duration from 1m to 366d"},
        {"an unknown key", resource("detail = { url_feild = \"url\" }"), 4, 12, "unknown key \"url_feild\""},
        {"of one object", resource("answers = \"object\"\ndetail = { url_field = \"url\" }"), 5, 1,
         "detail needs a list"},
        {"an address that is excluded", resource("exclude = [\"url\"]\ndetail = { url_field = \"url\" }"), 5, 10,
         "url is excluded"},
        {"no table", resource("detail = \"url\""), 4, 10, "detail must be a table, not a string"},
    };
    check(rows);
}

TEST_CASE("a window says what it needs, and what it does not go with")
{
    const std::string inside = "from = \"a\", to = \"b\", field = \"date\", step = \"1d\", since = \"2023-01-01\"";
    const auto window = [](const std::string& keys) { return "window = { " + keys + " }\n"; };
    const std::string good = window(inside);
    const Bad rows[] = {
        {"no field", resource(window("from = \"a\", step = \"1d\", since = \"2023-01-01\"")), 4, 10,
         "window needs field: window = { from"},
        {"no step", resource(window("from = \"a\", field = \"d\", since = \"2023-01-01\"")), 4, 10,
         "window needs step"},
        {"no day", resource(window("from = \"a\", field = \"d\", step = \"1d\", since = \"2023-02-29\"")), 4, 58,
         "must be a day or an instant"},
        {"no offset", resource(window("from = \"a\", field = \"d\", step = \"1d\", since = \"2023-02-01T06:00:00\"")),
         4, 58, "must be a day or an instant"},
        {"a step of minutes", resource(window("from = \"a\", field = \"d\", step = \"5m\", since = \"2023-01-01\"")), 4,
         44, "step must be a duration from 1h to 366d"},
        {"no such zone", resource(window(inside + ", timezone = \"Europe/Brusels\"")), 4, 96,
         "the nearest is \"Europe/Brussels\""},
        {"one parameter for both",
         resource(window("from = \"a\", to = \"a\", field = \"d\", step = \"1d\", since = \"2023-01-01\"")), 4, 29,
         "two different parameters"},
        {"of one object", resource("answers = \"object\"\n" + good), 5, 1, "window needs a list"},
        {"in addition to incremental", resource("incremental = { param = \"since\", field = \"m\" }\n" + good), 5, 1,
         "exclude each other"},
        {"its field excluded", resource("exclude = [\"date\"]\n" + good), 5, 42, "remove it from exclude"},
        {"back without a window",
         resource("incremental = { param = \"s\", field = \"m\" }\n"
                  "full = { every = \"1d\", back = \"3d\" }"),
         5, 24, "has no `window`"},
        {"settle without a window", resource("settle = { every = \"30d\" }"), 4, 1, "has no `window`"},
        {"settle without a time", resource(good + "settle = { days = [\"mon\"] }"), 5, 10,
         "`settle` needs `at` or `every`"},
        {"settle within full", resource(good + "settle = { every = \"30d\", back = \"3d\" }"), 5, 27,
         "must be longer than that of `full`"},
        {"an unknown key", resource(window(inside + ", til = \"c\"")), 4, 85, "known keys are from, to, field, step"},
    };
    check(rows);
}

TEST_CASE("a list by parent says whose it is, and where the parent's key stands")
{
    const std::string outlets = "[resource.outlets]\npath = \"/o/\"\nevery = \"1h\"\n";
    const auto stock = [&](const std::string& path, const std::string& parent, const std::string& more = "") {
        return outlets + "[resource.stock]\npath = \"" + path + "\"\nevery = \"1h\"\nparent = { " + parent + " }\n" +
               more;
    };
    const std::string good = "resource = \"outlets\", key = \"id\", as = \"outlet\"";
    const Bad rows[] = {
        {"no key", stock("/o/{outlet}/s/", "resource = \"outlets\", as = \"outlet\""), 7, 10, "parent needs key"},
        {"no place in the path", stock("/o/s/", good), 5, 8, "must contain {outlet}"},
        {"another place in the path", stock("/o/{id}/s/", good), 5, 8, "{id} has no value for library good"},
        {"a place without a parent", "[resource.r]\npath = \"/o/{outlet}/s/\"\nevery = \"1h\"", 2, 8,
         "{outlet} has no value"},
        {"a query in the path", stock("/o/{outlet}/?a=1", good), 5, 8, "query"},
        {"no such parent", stock("/o/{outlet}/s/", "resource = \"outlet\", key = \"id\", as = \"outlet\""), 7, 23,
         "the nearest is \"outlets\""},
        {"its own parent", stock("/o/{outlet}/s/", "resource = \"stock\", key = \"id\", as = \"outlet\""), 7, 23,
         "neither would ever be filled"},
        {"no name", stock("/o/{outlet}/s/", "resource = \"outlets\", key = \"id\", as = \"Outlet-id\""), 7, 51,
         "`as` must begin with a-z"},
        {"behind in the key", stock("/o/{outlet}/s/", good, "key = [\"id\", \"outlet\"]"), 7, 51,
         "is added to the key of"},
        {"excluded", stock("/o/{outlet}/s/", good, "exclude = [\"outlet\"]"), 7, 51, "remove it from exclude"},
        {"what names the lists excluded",
         "[resource.outlets]\npath = \"/o/\"\nevery = \"1h\"\nexclude = [\"code\"]\n[resource.stock]\npath = "
         "\"/o/{outlet}/s/\"\nevery = \"1h\"\nparent = { resource = \"outlets\", key = \"code\", as = \"outlet\" }\n",
         8, 10, "names the lists of stock but is excluded there"},
        {"beside a window",
         stock("/o/{outlet}/s/", good,
               "window = { from = \"a\", field = \"b\", step = \"1d\", since = \"2023-01-01\" }"),
         8, 1, "window and parent exclude each other"},
    };
    check(rows);
}

TEST_CASE("readers of a library that are no names are told with the line and the cure")
{
    const Bad rows[] = {
        {"no list", library("readers = \"root\"\n") + resource(""), 5, 11, "readers must be"},
        {"nobody", library("readers = []\n") + resource(""), 5, 11,
         "`readers` must name at least one group or user; without the key, the group that control.readers names may "
         "read the mirror"},
        {"twice", library("readers = [\"root\", \"root\"]\n") + resource(""), 5, 20, "readers names \"root\" twice"},
    };
    check(rows);
}

TEST_CASE("a key whose feature is not built is refused as such")
{
    const Bad rows[] = {
        {"a table of its own", resource("[resource.r.references]\nkey = \"id\""), 4, 13,
         "references in [resource.r] is not supported yet"},
        {"harmless value", resource("history = false"), 4, 1, "history in [resource.r] is not supported yet"},
        {"in the defaults", "[defaults]\nexpand = [\"a\"]", 2, 1, "expand in [defaults] is not supported yet"},
        {"a section", "[snapshot]\ncombined = true", 2, 1, "combined in [snapshot] is not supported yet"},
    };
    check(rows);
}

TEST_CASE("a hook that cannot be called, or would never be, is told with what to write")
{
    const Bad rows[] = {
        {"nobody", "[hooks.mail]\non = [\"page\"]", 1, 1,
         "hook mail calls nothing: write command = [\"/path/of/a/program\"] or post = \"https://…\""},
        {"both", "[hooks.mail]\ncommand = [\"/bin/true\"]\npost = \"https://example.com/\"", 3, 1,
         "hook mail has both command and post: remove one"},
        {"unknown key", "[hooks.mail]\ncommand = [\"/bin/true\"]\nreapeat = \"1h\"", 3, 1,
         "unknown key \"reapeat\" in [hooks.mail]; the nearest known key is \"repeat\""},
        {"unknown word", "[hooks.mail]\ncommand = [\"/bin/true\"]\non = [\"page\", \"servce\"]", 3, 15,
         "on knows no \"servce\"; the nearest known one is \"service\""},
        {"strange word", "[hooks.mail]\ncommand = [\"/bin/true\"]\non = [\"weather\"]", 3, 7,
         "on knows no \"weather\"; known are page, ticket, info, service"},
        {"no word", "[hooks.mail]\ncommand = [\"/bin/true\"]\non = []", 3, 6, "on must name at least one word"},
        {"a shell line", "[hooks.mail]\ncommand = \"mail root\"", 2, 11,
         "command must be a list: the path of a program, then its arguments, not a string"},
        {"a search path", "[hooks.mail]\ncommand = [\"mail\", \"root\"]", 2, 12,
         "the program \"mail\" must begin with \"/\": neither a shell nor a search path is used"},
        {"no program", "[hooks.mail]\ncommand = [\"/nowhere/mail\"]", 2, 12,
         "/nowhere/mail: No such file or directory"},
        {"no argument", "[hooks.mail]\ncommand = []", 2, 11, "command must be a list"},
        {"plain http", "[hooks.chat]\npost = \"http://example.com/\"", 2, 8, "https"},
        {"a secret header in the open",
         "[hooks.chat]\npost = \"https://example.com/\"\nheaders = { Authorization = \"Bearer hush\" }", 3, 29,
         "Authorization is a secret: write all of its value to a file"},
        {"an own header", "[hooks.chat]\npost = \"https://example.com/\"\nheaders = { Host = \"x\" }", 3, 13,
         "the header Host is the daemon's own"},
        {"a secret that is not there", "[hooks.chat]\npost = { file = \"/nowhere/url\" }", 2, 17,
         "the secret's file /nowhere/url: No such file or directory"},
        {"headers without post", "[hooks.mail]\ncommand = [\"/bin/true\"]\nheaders = { X = \"y\" }", 3, 1,
         "the key headers of hook mail has no effect: it belongs to post"},
        {"an unknown library", "[hooks.mail]\ncommand = [\"/bin/true\"]\nlibraries = [\"goof\"]", 3, 14,
         "there is no library goof; the nearest known one is good"},
        {"no library", "[hooks.mail]\ncommand = [\"/bin/true\"]\nlibraries = []", 3, 13,
         "libraries of hook mail is empty: remove the key to select all"},
        {"no table", "[hooks.mail]\ncommand = [\"/bin/true\"]\non_publish = []", 3, 14,
         "on_publish must name at least one table, or \"*\" for all"},
        {"an unknown table", "[hooks.mail]\ncommand = [\"/bin/true\"]\non_publish = [\"*\", \"-goof\"]", 3, 20,
         "no library has a resource goof; the nearest is good"},
        {"too often", "[hooks.mail]\ncommand = [\"/bin/true\"]\nrepeat = \"1s\"", 3, 10, "from 1m to 30d"},
        {"a name", "[hooks.Mail]\ncommand = [\"/bin/true\"]", 1, 8, "the name \"Mail\" must begin with a-z"},
    };
    check(rows);
}

TEST_CASE("a value of the wrong kind or size is told with what would be right")
{
    const Bad rows[] = {
        {"text for a number", "[service]\npage_size = \"200\"", 2, 13, "an integer from 1 to 10000, not a string"},
        {"number for a text", "[service]\ncontact = 7", 2, 11, "contact must be a string, not an integer"},
        {"float for a number", "[service]\nin_flight = 2.0", 2, 13, "from 1 to 64, not a float"},
        {"date for a text", "[application.a]\nclient_id = 2024-01-01", 2, 13, "not a date or time"},
        {"text for a boolean", "[storage]\nallow_unsafe = \"yes\"", 2, 16, "true or false, not a string"},
        {"text for keep_deleted", resource("keep_deleted = \"yes\""), 4, 16, "keep_deleted must be true or false"},
        {"an unknown word for changes", resource("changes = \"all\""), 4, 11,
         "changes must be \"values\" or \"keys\" or \"none\""},
        {"changes forgotten at once", "[changes]\nkeep = \"59m\"", 2, 8, "keep must be a duration from 1h to 3660d"},
        {"too few changes", "[changes]\nmax_rows = 999", 2, 12, "max_rows must be an integer from 1000 to 1000000000"},
        {"a share above all", "[deletions]\nmax_share = \"101%\"", 2, 13, "max_share must be a share from 0% to 100%"},
        {"a share of deletions without its sign", "[deletions]\nmax_share = \"20\"", 2, 13, "like \"10%\""},
        {"rows below none", "[deletions]\nmin_rows = -1", 2, 12, "min_rows must be an integer from 0 to 1000000"},
        {"deletions of one resource", resource("max_share = \"5%\""), 4, 1, "it belongs in [deletions]"},
        {"too small", "[service]\npage_size = 0", 2, 13, "from 1 to 10000"},
        {"too large", "[service]\nin_flight = 65", 2, 13, "from 1 to 64"},
        {"empty", "[application.a]\nclient_id = \"\"", 2, 13, "client_id must not be empty"},
        {"a line break in a text", "[service]\ncontact = \"a\\nb\"", 2, 11, "line break"},
        {"no unit of time", "[service]\nidle_timeout = \"60\"", 2, 16, "a duration from 100ms to 1h"},
        {"units in disorder", resource("late_after = \"1m1h\""), 4, 14, "a duration from 1s to 366d"},
        {"a number as duration", "[service]\nidle_timeout = 60", 2, 16, "not an integer"},
        {"shorter than allowed", "[defaults]\nevery = \"999ms\"", 2, 9, "a duration from 1s to 366d"},
        {"longer than allowed", "[defaults]\nevery = \"367d\"", 2, 9, "a duration from 1s to 366d"},
        {"longer than 64 bits hold", "[defaults]\nevery = \"999999999w\"", 2, 9, "a duration from 1s to 366d"},
        {"no unit of size", "[service]\nmax_body = \"64M\"", 2, 12, "a size from 1KiB to 4GiB"},
        {"a size that overflows", "[service]\nmax_body = \"18446744073709551615GiB\"", 2, 12, "a size from 1KiB"},
        {"a size too small", "[service]\nmax_body = \"1B\"", 2, 12, "a size from 1KiB to 4GiB"},
        {"a share too large", "[defaults]\nsplay = \"51%\"", 2, 9, "a share from 0% to 50%"},
        {"a share without its sign", "[defaults]\nsplay = \"10\"", 2, 9, "like \"10%\""},
        {"a share that is no number", "[defaults]\nsplay = \"nan%\"", 2, 9, "like \"10%\""},
        {"a rate of another unit", "[service]\nrate_limit = \"2/s\"", 2, 14, "like \"100/min\", or \"none\""},
        {"a rate of zero", "[service]\nrate_limit = \"0/min\"", 2, 14, "from 1 to 100000"},
        {"a rate as a number", "[service]\nrate_limit = 100", 2, 14, "not an integer"},
        {"a word that is none of them", "[log]\nlevel = \"verbose\"", 2, 9,
         "\"debug\" or \"info\" or \"warning\" or \"error\""},
        {"a section that is a value", "log = 3", 1, 1, "log must be a table: [log]"},
        {"a collection without names", "[[resource]]\npath = \"/\"", 1, 3, "resource must be a table: [resource.NAME]"},
        {"a list with a number in it", "[application.a]\nscopes = [\"a\", 2]", 2, 16, "scopes must contain strings"},
        {"a list with a name twice", "[application.a]\nscopes = [\"a\", \"a\"]", 2, 16, "names \"a\" twice"},
        {"a table with a list in it", "[service]\nparams = { a = [1] }", 2, 16,
         "params.a must be a string, an integer"},
        {"a header of the daemon's", "[service]\nheaders = { AUTHORIZATION = \"Bearer x\" }", 2, 13,
         "the daemon sets the"},
        {"a header with a line break", "[service]\nheaders = { X-A = \"a\\r\\nb\" }", 2, 19, "control characters"},
        {"a header with a space", "[service]\nheaders = { \"X A\" = \"a\" }", 2, 13, "not a valid header name"},
        {"an empty key", resource("key = []"), 4, 7, "key must name a member"},
        {"half an identity", "[service]\nidentity = { path = \"/me/\" }", 2, 12, "identity needs field"},
    };
    check(rows);
}

TEST_CASE("a plan that cannot be kept is told with what would be right")
{
    const auto plan = [](const std::string& lines) { return "[resource.r]\npath = \"/r/\"\n" + lines; };
    const Bad rows[] = {
        {"neither every nor at", plan(""), 1, 1, "every = \"15m\" or at = [\"03:30\"]"},
        {"both in one table", plan("every = \"1h\"\nat = [\"03:30\"]"), 4, 1, "cannot both be set: use `at`"},
        {"both in the defaults", "[defaults]\nat = [\"03:30\"]\nevery = \"1h\"", 2, 1, "cannot both be set"},
        {"one time without its list", plan("at = \"03:30\""), 3, 6, "a list of times, like [\"03:30\"], not a string"},
        {"a time of one digit", plan("at = [\"3:30\"]"), 3, 7, "from \"00:00\" to \"23:59\", not \"3:30\""},
        {"the end of the day", plan("at = [\"12:00\", \"24:00\"]"), 3, 16, "not \"24:00\""},
        {"a time of TOML", plan("at = [03:30:00]"), 3, 7, "at must contain strings"},
        {"the same time twice", plan("at = [\"03:30\", \"03:30\"]"), 3, 16, "at names \"03:30\" twice"},
        {"no time", plan("at = []"), 3, 6, "at must name a time"},
        {"a day in full", plan("at = [\"03:30\"]\ndays = [\"monday\"]"), 4, 9, "sat or sun, not \"monday\""},
        {"no day", plan("at = [\"03:30\"]\ndays = []"), 4, 8, "days must name a weekday"},
        {"a day twice", plan("at = [\"03:30\"]\ndays = [\"mon\", \"mon\"]"), 4, 16, "twice"},
        {"days of an interval", plan("every = \"1h\"\ndays = [\"mon\"]"), 4, 1, "`days` needs `at`"},
        {"a zone of an interval", plan("every = \"1h\"\ntimezone = \"UTC\""), 4, 1, "or remove `timezone`"},
        {"an unknown zone", plan("at = [\"03:30\"]\ntimezone = \"Europe/Brusels\""), 4, 12,
         "unknown on this machine; the nearest is \"Europe/Brussels\""},
        {"quiet hours without their list", "[service]\nquiet = \"22:00-06:00\"", 2, 9,
         "a list of spans of time, like [\"22:00-06:00\"], not a string"},
        {"quiet hours that end at 24:00", "[service]\nquiet = [\"22:00-24:00\"]", 2, 10,
         "quiet must contain spans between two different times from \"00:00\" to \"23:59\""},
        {"quiet hours without an end", "[service]\nquiet = [\"22:00\"]", 2, 10, "not \"22:00\""},
        {"a zone's abbreviation", "[service]\ntimezone = \"CEST\"", 2, 12, "timezone \"CEST\" is unknown"},
        {"a file that is no zone", "[service]\ntimezone = \"zone.tab\"", 2, 12, "is unknown"},
        {"a folder of zones", "[service]\ntimezone = \"Europe\"", 2, 12, "is unknown"},
        {"a way out of the zones", "[service]\ntimezone = \"../zoneinfo/UTC\"", 2, 12, "is unknown"},
    };
    check(rows);
}

TEST_CASE("an address that tokens may not be sent to is refused")
{
    const auto base_url = [](const std::string& url) { return "[service]\nbase_url = \"" + url + "\""; };
    const Bad rows[] = {
        {"http", base_url("http://api.example.com"), 2, 12, "http is for loopback only"},
        {"http to a name that begins like loopback", base_url("http://localhost.example.com"), 2, 12, "loopback only"},
        {"http to a number that begins like loopback", base_url("http://127.0.0.1.example.com"), 2, 12,
         "loopback only"},
        {"http to a user called loopback", base_url("http://localhost@example.com"), 2, 12, "loopback only"},
        {"another scheme", base_url("ftp://api.example.com"), 2, 12, "must begin with https://"},
        {"no scheme", base_url("api.example.com"), 2, 12, "must be a complete address"},
        {"no host", base_url("https://"), 2, 12, "base_url must name a host"},
        {"a path", base_url("https://api.example.com/v2"), 2, 12, "without a path"},
        {"a query", base_url("https://api.example.com?x=1"), 2, 12, "without a query"},
        {"a fragment", base_url("https://api.example.com#x"), 2, 12, "without a fragment"},
        {"a password", base_url("https://me:hush@api.example.com"), 2, 12, "user name or a password"},
        {"a port that is none", base_url("https://api.example.com:99999"), 2, 12, "from 1 to 65535"},
        {"a space", base_url("https://api example.com"), 2, 12, "base_url must have a valid DNS host name"},
        {"a broken IPv6 address", base_url("https://[::1"), 2, 12, "base_url must have a valid DNS host name"},
        {"the other origin", "[service]\nauth_url = \"http://a.example.com\"", 2, 12, "auth_url must be https"},
        {"a redirect over http", "[application.a]\nredirect_uri = \"http://a.example.com/x\"", 2, 16,
         "redirect_uri must be https"},
        {"a proxy with a password", "[service]\nproxy = \"http://u:hush@p.example.com\"", 2, 9,
         "user name or a password"},
        {"a proxy of another kind", "[service]\nproxy = \"ftp://p.example.com\"", 2, 9, "socks5h://"},
        {"a path without its slash", "[resource.r]\npath = \"r/\"\nevery = \"1h\"", 2, 8, "must begin with \"/\""},
        {"a revocation that is no path", "[service]\nrevocation_path = \"https://evil.example.com/i/\"", 2, 19,
         "must be a path without scheme and host"},
        {"a language that is a path", "[service]\nlanguage = \"../nl\"", 2, 12, "is not the name of a language"},
        {"an introspection that is no path", "[service]\nintrospection_path = \"https://evil.example.com/i/\"", 2, 22,
         "must be a path without scheme and host"},
        {"a path with a host", "[resource.r]\npath = \"https://evil.example.com/r/\"\nevery = \"1h\"", 2, 8,
         "without scheme and host"},
        {"a path that names a host", "[resource.r]\npath = \"//evil.example.com/r/\"\nevery = \"1h\"", 2, 8,
         "another host"},
        {"a path with a query", "[resource.r]\npath = \"/r/?a=1\"\nevery = \"1h\"", 2, 8, "params = {"},
        {"a path upwards", "[resource.r]\npath = \"/r/../s/\"\nevery = \"1h\"", 2, 8, "\"..\""},
        {"a path that is not ASCII", "[resource.r]\npath = \"/\u00e9/\"\nevery = \"1h\"", 2, 8, "percent-encode"},
        {"an identity elsewhere", "[service]\nidentity = { path = \"https://x/me\", field = \"id\" }", 2, 21,
         "without scheme"},
    };
    check(rows);
}

TEST_CASE("one fault in a list of times or days hides none of the others")
{
    const ConfigFiles files;
    files.write("shelfd.toml", "[resource.r]\npath = \"/r/\"\nat = [\"25:00\", \"3:30\", \"03:30\", \"03:30\", 7]\n"
                               "days = [\"mon\", \"Funday\", \"mon\"]\n");
    std::string text;
    for (const auto& fault : files.load().faults) {
        text += to_text(fault) + "\n";
    }
    INFO(text);
    for (const auto* said : {":3:7: at must contain times", "\"3:30\"", "at names \"03:30\" twice", "not \"Funday\"",
                             "days names \"mon\" twice"}) {
        CHECK(text.find(said) != std::string::npos);
    }
}

TEST_CASE("a secret in the open is refused with the cure")
{
    const Bad rows[] = {
        {"inline", "[application.a]\nclient_secret = \"hush\"", 2, 17, "{ file = \"/etc/shelfd/secrets/NAME\" }"},
        {"from the environment", "[application.a]\nclient_secret = \"${SET}\"", 2, 17,
         "must not be in the configuration"},
        {"two sources", "[application.a]\nclient_secret = { credential = \"a\", command = [\"/bin/true\"] }", 2, 17,
         "must be one of"},
        {"no source", "[application.a]\nclient_secret = {}", 2, 17, "must be one of"},
        {"a file that is not there", "[application.a]\nclient_secret = { file = \"/nowhere/secret\" }", 2, 26,
         "No such file"},
        {"a relative file", "[application.a]\nclient_secret = { file = \"secret\" }", 2, 26, "must begin with \"/\""},
        {"a directory", "[application.a]\nclient_secret = { file = \"/usr\" }", 2, 26, "not a regular file"},
        {"a credential with a path", "[application.a]\nclient_secret = { credential = \"a/b\" }", 2, 32,
         "without a path"},
        {"a command as one text", "[application.a]\nclient_secret = { command = \"pass x\" }", 2, 29, "must be a list"},
        {"a command by search path", "[application.a]\nclient_secret = { command = [\"pass\"] }", 2, 30,
         "no search path"},
        {"a command that is not there", "[application.a]\nclient_secret = { command = [\"/nowhere/x\"] }", 2, 30,
         "No such file"},
    };
    check(rows);
}

TEST_CASE("what does not fit together is told where it stands")
{
    const std::string app = "[application.a]\nclient_id = \"a\"\nclient_secret = { command = [\"/bin/true\"] }\n";
    const std::string user = "[library.l]\nbase_url = \"https://l.example.com\"\n";
    const Bad rows[] = {
        {"no base_url",
         "[library.l]\nclient_id = \"l\"\nclient_secret = { command = [\"/bin/true\"] }\n[resource.r]\npath = "
         "\"/r/\"\nevery = \"1h\"",
         1, 1, "library l has no base_url"},
        {"no application", user + resource(""), 1, 1, "library l has no application"},
        {"an unknown application", app + user + "application = \"b\"\n" + resource(""), 6, 15,
         "there is no [application.b]; the nearest is \"a\""},
        {"an application without a secret",
         "[application.a]\nclient_id = \"a\"\n" + user + "application = \"a\"\n" + resource(""), 1, 1,
         "client_secret is missing in [application.a]"},
        {"an id without a secret", user + "client_id = \"l\"\n" + resource(""), 1, 1, "client_secret is missing"},
        {"a personal token without identity", library("token_kind = \"personal\"\n") + resource(""), 5, 14,
         "requires identity"},
        {"no resource", library(""), 1, 1, "library l has no resource that is enabled"},
        {"no resource that is enabled",
         library("[library.l.resource.r]\npath = \"/r/\"\nevery = \"1h\"\nenabled = false"), 1, 1, "paused = true"},
        {"an unknown resource", resource("") + library("resources = [\"*\", \"-s\"]"), 8, 19,
         "there is no [resource.s]; the nearest is \"r\""},
        {"an empty choice", resource("") + library("resources = []"), 8, 13, "must name at least one"},
        {"a misspelt override", resource("") + library("[library.l.resource.rr]\nevery = \"5m\""), 8, 1,
         "there is no [resource.rr]; the nearest is \"r\""},
        {"a resource without a path", "[resource.r]\nevery = \"1h\"", 1, 1, "resource r has no path"},
        {"a resource without every", "[resource.r]\npath = \"/r/\"", 1, 1, "resource r has neither every nor at"},
        {"a name in capitals",
         "[library.L]\nbase_url = \"https://l.example.com\"\nclient_id = \"l\"\nclient_secret = { command "
         "= [\"/bin/true\"] }\n" +
             resource(""),
         1, 10, "must begin with a-z"},
        {"a name with a hyphen", "[resource.my-list]\npath = \"/r/\"\nevery = \"1h\"", 1, 11, "my-list"},
        {"a name of 42 characters", "[application." + std::string(42, 'a') + "]\nclient_id = \"a\"", 1, 14,
         "at most 41"},
        {"a resource named freshness", "[resource.freshness]\npath = \"/r/\"\nevery = \"1h\"", 1, 11,
         "may not be named freshness"},
        {"a resource named as SQLite's own", "[resource.sqlite_x]\npath = \"/r/\"\nevery = \"1h\"", 1, 11, "SQLite"},
        {"a resource beside another", resource("[resource.r_history]\npath = \"/h/\"\nevery = \"1h\""), 4, 11,
         "may not be named r_history"},
        {"a {name} without a value", library("[library.l.resource.r]\npath = \"/{shop}/\"\nevery = \"1h\""), 6, 8,
         "{shop} has no value for library l"},
        {"a {name} in params",
         library("[library.l.resource.r]\npath = \"/r/\"\nevery = \"1h\"\nparams = { s = \"{shop}\" }"), 8, 16,
         "{shop} has no value for library l"},
        {"a value that bends the path",
         library("vars = { s = \"a?b\" }\n[library.l.resource.r]\npath = \"/{s}/\"\nevery = \"1h\""), 7, 8,
         "filled in for library l"},
        {"a lone brace", library("[library.l.resource.r]\npath = \"/{/\"\nevery = \"1h\""), 6, 8,
         "braces only as {name}"},
        {"a parameter of the daemon's",
         library("[library.l.resource.r]\npath = \"/r/\"\nevery = \"1h\"\nparams = { page = 1 }"), 8, 12,
         "the daemon sets the"},
        {"a parameter of the daemon's for all lists", library("params = { page_size = 5 }\n") + resource(""), 5, 12,
         "the daemon sets the parameter \"page_size\" itself: use page_size in [service]"},
        {"two parameters of one name", library("page_param = \"p\"\npage_size_param = \"p\"\n") + resource(""), 5, 14,
         "are both \"p\""},
        {"tokens among mirrors", "[storage]\nmirrors = \"/srv/m\"\ntokens = \"/srv/m/t\"", 3, 10,
         "must not be inside mirrors"},
        {"one directory for two copies", "[storage]\ntokens = \"/srv/t\"\ntokens_copy = \"/srv/t\"", 3, 15,
         "another directory"},
        {"a relative directory", "[storage]\nmirrors = \"mirrors\"", 2, 11, "must begin with \"/\""},
        {"a socket's path too long", "[control]\nsocket = \"/" + std::string(107, 's') + "\"", 2, 10, "108 bytes long"},
        {"certificates that are not there", "[service]\nca_file = \"/nowhere/ca.pem\"", 2, 11, "No such file"},
        {"certificates that are none", "[service]\nca_file = \"/etc/passwd\"", 2, 11, "no certificate in PEM format"},
        {"a directory of certificates", "[service]\nca_file = \"/etc\"", 2, 11, "no certificate in PEM format"},
        {"an address without a port", "[control]\nlisten = \"127.0.0.1\"", 2, 10, "a numeric address and a port"},
        {"a name instead of an address", "[control]\nlisten = \"localhost:9464\"", 2, 10, "like \"127.0.0.1:9464\""},
        {"a port alone", "[control]\nlisten = \":9464\"", 2, 10, "a numeric address and a port"},
        {"a port that is none", "[control]\nlisten = \"127.0.0.1:65536\"", 2, 10, "a numeric address and a port"},
        {"an address for all the world", "[control]\nlisten = \"0.0.0.0:9464\"", 2, 10, "listen_anywhere = true"},
        {"the same in IPv6", "[control]\nlisten = \"[::]:9464\"", 2, 10, "other machines can reach [::]:9464"},
        {"an address for all the world without a token", "[control]\nlisten = \"0.0.0.0:9464\"\nlisten_anywhere = true",
         2, 10, "write listen_token = { file"},
        {"a token in the configuration", "[control]\nlisten = \"127.0.0.1:9464\"\nlisten_token = \"abc\"", 3, 16,
         "must not be in the configuration"},
        {"a token for nothing", "[control]\nlisten_token = { command = [\"/bin/true\"] }", 2, 1,
         "listen_token has no effect without listen"},
        {"a group with a comma", "[control]\nadmins = \"a,b\"", 2, 10, "the name of a user group"},
    };
    check(rows);
}

TEST_CASE("a dollar sign that means nothing is a fault")
{
    const Bad rows[] = {
        {"unset", "[service]\ncontact = \"${UNSET}\"", 2, 11, "the environment variable UNSET is not set"},
        {"lone", "[service]\ncontact = \"5 $ a day\"", 2, 11, "write $$ for a dollar sign"},
        {"at the end", "[service]\ncontact = \"a$\"", 2, 11, "write $$"},
        {"without braces", "[service]\ncontact = \"$SET\"", 2, 11, "write $$"},
        {"not closed", "[service]\ncontact = \"${SET\"", 2, 11, "write $$"},
        {"no name", "[service]\ncontact = \"${}\"", 2, 11, "write $$"},
        {"in a list", "[application.a]\nscopes = [\"a\", \"${UNSET}\"]", 2, 16, "UNSET is not set"},
        {"in a table", "[service]\nparams = { a = \"${UNSET}\" }", 2, 16, "UNSET is not set"},
        {"in a secret", "[application.a]\nclient_secret = { file = \"${UNSET}\" }", 2, 26, "UNSET is not set"},
    };
    check(rows);
}
