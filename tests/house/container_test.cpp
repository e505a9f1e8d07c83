// The examples of contrib/container: what a parser of YAML makes of them, and what they must not lack.
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_directory.hpp"

#include <map>
#include <string>
#include <vector>

namespace {

const std::string folder = std::string(SHELFD_SOURCE_DIR) + "/contrib/container/";
const std::map<std::string, std::string> environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
                                                        {"LC_ALL", "C.UTF-8"}};

shelfd::Ran python(const std::string& program)
{
    return shelfd::run_program({"/usr/bin/python3", "-c", program, folder}, environment);
}

bool can_parse_yaml()
{
    if (python("import yaml").code == 0) {
        return true;
    }
    WARN("skipped: no python3-yaml here");
    return false;
}

}  // namespace

TEST_CASE("the example for Compose is YAML and runs the daemon read-only, without rights, with time to stop")
{
    if (!can_parse_yaml()) {
        return;
    }
    const auto ran = python(R"py(
import re, sys, yaml
it = yaml.safe_load(open(sys.argv[1] + "compose.yaml"))
shelfd = it["services"]["shelfd"]
assert shelfd["read_only"] is True and shelfd["cap_drop"] == ["ALL"], shelfd
assert shelfd["user"] == "7020:7020", shelfd["user"]
assert shelfd["stop_grace_period"] == "200s", shelfd["stop_grace_period"]
assert {v.split(":")[0] for v in shelfd["volumes"]} >= set(it["volumes"]) == {"tokens", "mirrors"}, it["volumes"]
assert "healthcheck" in shelfd
# Its comment takes config/minimal.toml: the secret is where client_secret in it says.
wanted = re.search(r'client_secret = \{ file = "([^"]*)"', open(sys.argv[1] + "../../config/minimal.toml").read()).group(1)
assert [(s["source"], s["target"]) for s in shelfd["secrets"]] == [("demo", wanted)], (shelfd["secrets"], wanted)
assert it["secrets"]["demo"]["file"] == "./secrets/demo", it["secrets"]
reader = it["services"]["reader"]
assert reader["volumes"] == ["mirrors:/mirrors:ro"] and reader["group_add"] == ["7021"], reader
)py");
    INFO(ran.err);
    CHECK(ran.code == 0);
}

TEST_CASE("the example for Kubernetes is YAML and never runs two daemons, nor one as root")
{
    if (!can_parse_yaml()) {
        return;
    }
    const auto ran = python(R"py(
import re, sys, yaml
things = list(yaml.safe_load_all(open(sys.argv[1] + "kubernetes.yaml")))
assert all("apiVersion" in t and "kind" in t and t["metadata"]["name"] for t in things), things
kinds = {(t["kind"], t["metadata"]["name"]): t for t in things}
spec = kinds["StatefulSet", "shelfd"]["spec"]
assert spec["replicas"] == 1
pod = spec["template"]["spec"]
assert pod["terminationGracePeriodSeconds"] == 200 and pod["securityContext"]["runAsNonRoot"] is True, pod
assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
for container in pod["containers"] + pod["initContainers"]:
    assert container["securityContext"]["readOnlyRootFilesystem"] is True, container
    for mount in container["volumeMounts"]:
        assert mount["name"] in {v["name"] for v in pod["volumes"]}, mount
for volume in pod["volumes"]:
    claim = volume.get("persistentVolumeClaim")
    assert claim is None or ("PersistentVolumeClaim", claim["claimName"]) in kinds, volume
toml = kinds["ConfigMap", "shelfd"]["data"]["shelfd.toml"]
assert "machine_id" in toml
place = next(m["mountPath"] for m in pod["containers"][0]["volumeMounts"] if m["name"] == "secrets")
wanted = re.search(r'client_secret = \{ file = "([^"]*)"', toml).group(1)
assert wanted in [place + "/" + key for key in kinds["Secret", "shelfd"]["stringData"]], (wanted, place)
)py");
    INFO(ran.err);
    CHECK(ran.code == 0);
}

TEST_CASE("both examples name the same image, users and grace as the unit")
{
    const auto unit = shelfd::read_file(std::string(SHELFD_SOURCE_DIR) + "/systemd/shelfd.service.in");
    CHECK_THAT(unit, Catch::Matchers::Contains("\nTimeoutStopSec=200\n"));
    const auto build = shelfd::read_file(folder + "build");
    CHECK_THAT(build, Catch::Matchers::Contains("user=7020 readers=7021"));
    for (const auto* file : {"compose.yaml", "kubernetes.yaml"}) {
        const auto text = shelfd::read_file(folder + file);
        CAPTURE(file);
        CHECK_THAT(text, Catch::Matchers::Contains("localhost/shelfd:"));
        CHECK_THAT(text, Catch::Matchers::Contains("7020"));
        CHECK_THAT(text, Catch::Matchers::Contains("7021"));
    }
}

TEST_CASE("an image has the name that the examples use")
{
    const shelfd::TempDirectory place;
    const auto image = place / "image.tar";
    const auto made = shelfd::run_program(
        {"/bin/sh", "-c",
         "cd \"$1\" && echo hello >file && tar -c -f root.tar file && python3 \"$2/oci_image.py\" --root root.tar "
         "--version 9.8.7 --architecture amd64 --user 7020:7020 --output image.tar && tar -x -O -f image.tar "
         "index.json",
         "sh", place.path(), folder},
        environment);
    INFO(made.err);
    CHECK(made.code == 0);
    CHECK_THAT(made.out, Catch::Matchers::Contains(R"("org.opencontainers.image.ref.name":"localhost/shelfd:9.8.7")"));
    // And the examples that of this version.
    const auto project = shelfd::read_file(std::string(SHELFD_SOURCE_DIR) + "/CMakeLists.txt");
    const auto at = project.find("project(shelfd VERSION ") + std::string("project(shelfd VERSION ").size();
    const auto version = project.substr(at, project.find_first_not_of("0123456789.", at) - at);
    for (const auto* file : {"compose.yaml", "kubernetes.yaml"}) {
        CAPTURE(file);
        CHECK_THAT(shelfd::read_file(folder + file), Catch::Matchers::Contains("image: localhost/shelfd:" + version));
    }
}
