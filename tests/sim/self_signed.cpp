#include "sim/self_signed.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace shelfd::sim {

namespace {

template <auto free_function>
struct Freed {
    template <typename Thing>
    void operator()(Thing* thing) const
    {
        free_function(thing);
    }
};

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using X509Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;

bool add_extension(X509* certificate, int kind, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool fill(X509* certificate, EVP_PKEY* key, const std::string& address)
{
    constexpr long day = 86'400;
    auto* name = X509_get_subject_name(certificate);
    const auto* common_name = reinterpret_cast<const unsigned char*>("shelfsim");
    return X509_set_version(certificate, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nullptr &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), 3650 * day) != nullptr &&
           X509_set_pubkey(certificate, key) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1 &&
           add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
           add_extension(certificate, NID_subject_alt_name, "IP:" + address + ",DNS:localhost") &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* memory)
{
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(memory, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Result<Certificate> self_signed_certificate(const std::string& address)
{
    const Key key(EVP_EC_gen("P-256"));
    const X509Certificate certificate(X509_new());
    const Memory chain(BIO_new(BIO_s_mem()));
    const Memory secret(BIO_new(BIO_s_mem()));
    const bool made = key && certificate && chain && secret && fill(certificate.get(), key.get(), address) &&
                      PEM_write_bio_X509(chain.get(), certificate.get()) == 1 &&
                      PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
    if (!made) {
        return Error(ErrorKind::config, "OpenSSL made no certificate for " + address);
    }
    return Certificate{text_of(chain.get()), text_of(secret.get())};
}

}  // namespace shelfd::sim
