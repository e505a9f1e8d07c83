// Addresses at which services usually describe themselves, and those of usual lists.
#pragma once

#include <array>
#include <string_view>

namespace shelfd::sync {

// Where frameworks serve such descriptions: Django REST Framework, drf-spectacular and drf-yasg, FastAPI, springdoc,
// Swashbuckle.
inline constexpr std::array<std::string_view, 5> usual_roots = {"/api/v2/", "/api/", "/api/v1/", "/v1/", "/"};
inline constexpr std::array<std::string_view, 12> usual_documents = {"/openapi.json",
                                                                     "/api/openapi.json",
                                                                     "/api/v2/openapi.json",
                                                                     "/api/schema/",
                                                                     "/api/v2/schema/",
                                                                     "/swagger.json",
                                                                     "/swagger/v1/swagger.json",
                                                                     "/api/swagger.json",
                                                                     "/v3/api-docs",
                                                                     "/swagger/?format=openapi",
                                                                     "/openapi.yaml",
                                                                     "/swagger.yaml"};
// Tried if the service describes itself nowhere.
inline constexpr std::array<std::string_view, 8> usual_lists = {
    "/api/v2/accounts/users/",        "/api/v2/library/recipes/",
    "/api/v2/library/ingredients/",   "/api/v2/inventory/outlets/",
    "/api/v2/procurement/suppliers/", "/api/v2/procurement/orders/",
    "/api/v2/sales/lines/",           "/api/v2/media/files/"};

}  // namespace shelfd::sync
