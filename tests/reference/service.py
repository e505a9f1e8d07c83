"""A service made of the frameworks that services of this kind are made of, nothing of them replaced: Django,
django-oauth-toolkit, Django REST framework and its filters, behind gunicorn. Only the data and the paths are ours.

    python3 service.py              prepares the database, prints a token set for each library as JSON, and ends
    gunicorn service:application    serves

Both find the database in SERVICE_DIRECTORY. SERVICE_GRACE: seconds for which a used refresh token is answered with
the same set; SERVICE_RATE: requests of a user ("3/s"); SERVICE_REDIRECT: where a login is sent back to.
Two libraries, "antwerp" and "bruges", each with its own application. Every list belongs to the library of the token's
user. `/test/…` changes what the service holds, as its owner would.
"""
import datetime
import json
import os
import signal
import uuid

import django
from django.conf import settings

ROWS = 1250

settings.configure(
    SECRET_KEY="of no worth",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    TIME_ZONE="UTC",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "OPTIONS": {"timeout": 30},
                           "NAME": os.path.join(os.environ["SERVICE_DIRECTORY"], "service.db")}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider", "rest_framework",
                    "django_filters"],
    OAUTH2_PROVIDER={"ACCESS_TOKEN_EXPIRE_SECONDS": 604800, "ROTATE_REFRESH_TOKEN": True,
                     "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": int(os.environ.get("SERVICE_GRACE", "0")),
                     "SCOPES": {"accounts": "accounts", "library": "library", "inventory": "inventory"}},
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["oauth2_provider.contrib.rest_framework.OAuth2Authentication"],
        "DEFAULT_PERMISSION_CLASSES": ["oauth2_provider.contrib.rest_framework.TokenHasScope"],
        "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
        "DEFAULT_THROTTLE_RATES": {"user": os.environ.get("SERVICE_RATE", "100000/min")},
        "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend",
                                    "rest_framework.filters.OrderingFilter"],
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.utils import timezone  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402
from oauth2_provider.models import AccessToken, Application, RefreshToken  # noqa: E402
from rest_framework import pagination, routers, serializers, views, viewsets  # noqa: E402
from rest_framework.response import Response  # noqa: E402


class Recipe(models.Model):
    class Meta:
        app_label = "auth"
        db_table = "recipe"

    owner = models.ForeignKey(User, on_delete=models.CASCADE)
    code = models.CharField(max_length=40)
    name = models.TextField()
    price = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    ratio = models.FloatField()
    big = models.BigIntegerField()
    is_active = models.BooleanField(null=True)
    served_at = models.TimeField()
    made_on = models.DateField()
    tags = models.JSONField(null=True)
    created_date = models.DateTimeField(default=timezone.now)
    modified_date = models.DateTimeField(auto_now=True)


class RecipeSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Recipe
        fields = ["id", "url", "code", "name", "price", "ratio", "big", "is_active", "served_at", "made_on", "tags",
                  "created_date", "modified_date"]


class Pages(pagination.PageNumberPagination):
    page_size, page_size_query_param, max_page_size = 10, "page_size", 200


class Offsets(pagination.LimitOffsetPagination):
    default_limit, max_limit = 10, 200


class Cursors(pagination.CursorPagination):
    page_size, page_size_query_param, max_page_size, ordering = 10, "page_size", 200, "-id"


class RecipeView(viewsets.ReadOnlyModelViewSet):
    serializer_class = RecipeSerializer
    pagination_class = Pages
    required_scopes = ["library"]
    filterset_fields = {"modified_date": ["gt", "gte", "lt"], "created_date": ["gt", "gte", "lt"]}
    ordering_fields = ["id", "name", "modified_date", "created_date"]
    ordering = ["-created_date"]

    def get_queryset(self):
        return Recipe.objects.filter(owner=self.request.user)


def listed(name, pages):
    """The same rows behind another kind of list."""
    return type(name, (RecipeView,), {"pagination_class": pages})


class CurrentLibrary(views.APIView):
    required_scopes = ["accounts"]

    def get(self, request):
        return Response({"id": f"library-of-{request.user.username}", "name": request.user.username})


def awkward(number):
    names = ["plain", "Crème brûlée & <b>\u2028</b>", "a\tb\n\"c\"\\", "\U0001f968 \x01", "", "NULL", "2024-01-01"]
    ratios = [1e-07, 1e22, -0.0, 0.1, 1.0, 123456789.125]
    bigs = [2**63 - 1, -2**63, 2**53 + 1, 0]
    tags = [[], {}, [1, [2, {"a": None}]], {"b": 1, "a": 2}, None, "text", 3.50]
    when = datetime.datetime(2024, 1, 6, 6, 0, 0, 999999 if number % 2 else 0, datetime.timezone.utc)
    return {"code": f"R-{number:05d}", "name": f"{names[number % 7]}", "ratio": ratios[number % 6],
            "price": None if number % 5 == 0 else f"{number}.00", "big": bigs[number % 4], "tags": tags[number % 7],
            "is_active": [True, False, None][number % 3], "served_at": datetime.time(6, 30, number % 60),
            "made_on": datetime.date(2024, 2, 29), "created_date": when + datetime.timedelta(seconds=number)}


def change(request, verb):
    """Adds, changes or deletes so many rows of a library, expires its access token, revokes its set, or loses the
    next answer of the token endpoint."""
    user = User.objects.get(username=request.GET["library"])
    number = int(request.GET.get("rows", 1))
    rows = Recipe.objects.filter(owner=user)
    if verb == "add":
        at = rows.count() + 100000
        Recipe.objects.bulk_create(Recipe(owner=user, modified_date=timezone.now(),
                                          **{**awkward(at + i), "created_date": timezone.now()}) for i in range(number))
    elif verb == "change":
        for row in rows.order_by("?")[:number]:
            row.name += " changed"
            row.save()
    elif verb == "delete":
        rows.filter(id__in=list(rows.order_by("?").values_list("id", flat=True)[:number])).delete()
    elif verb == "expire":
        AccessToken.objects.filter(user=user).update(expires=timezone.now() - datetime.timedelta(seconds=1))
    elif verb == "revoke":
        for token in RefreshToken.objects.filter(user=user, revoked=None):
            token.revoke()
    elif verb == "lose":
        Incidents.loses_next_set = True
    return JsonResponse({"rows": rows.count(), "posts": Incidents.posts,
                         "live_sets": RefreshToken.objects.filter(user=user, revoked=None).count()})


class Incidents:
    """A person who is logged in already, and a worker that dies when the work is done and before it has said so."""
    loses_next_set = False
    posts = 0

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        if request.path == "/oauth/authorize/":
            request.user = User.objects.get(username="antwerp")
        Incidents.posts += request.path == "/oauth/token/"
        response = self.get_response(request)
        if request.path == "/oauth/token/" and Incidents.loses_next_set:
            os.kill(os.getpid(), signal.SIGKILL)
        return response


settings.MIDDLEWARE = [__name__ + ".Incidents", "django.middleware.common.CommonMiddleware"]

router = routers.DefaultRouter()
router.register("recipes", RecipeView, basename="recipe")
router.register("offsets", listed("OffsetView", Offsets), basename="offset")
router.register("cursors", listed("CursorView", Cursors), basename="cursor")
router.register("bare", listed("BareView", None), basename="bare")
urlpatterns = [
    path("oauth/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("api/v2/library/", include(router.urls)),
    path("api/v2/accounts/libraries/current/", CurrentLibrary.as_view()),
    path("test/<verb>/", csrf_exempt(change)),
]


def issue(user, application):
    access = AccessToken.objects.create(user=user, application=application, token="access-" + uuid.uuid4().hex,
                                        scope="accounts library",
                                        expires=timezone.now() + datetime.timedelta(days=7))
    refresh = RefreshToken.objects.create(user=user, application=application, token="refresh-" + uuid.uuid4().hex,
                                          access_token=access)
    return {"access_token": access.token, "refresh_token": refresh.token, "expires_in": 604800,
            "token_type": "Bearer", "scope": access.scope}


def prepare():
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Recipe)
    sets = {}
    with transaction.atomic():
        for name in ("antwerp", "bruges"):
            user = User.objects.create_user(name)
            application = Application.objects.create(
                name=name, user=user, client_id=name, client_secret=name + "-secret",
                client_type=Application.CLIENT_CONFIDENTIAL,
                authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
                redirect_uris=os.environ["SERVICE_REDIRECT"], skip_authorization=True)
            Recipe.objects.bulk_create(Recipe(owner=user, modified_date=timezone.now(), **awkward(i))
                                       for i in range(ROWS))
            sets[name] = issue(user, application)
    return sets


application = get_wsgi_application()

if __name__ == "__main__":
    print(json.dumps(prepare()), flush=True)
