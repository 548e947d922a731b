"""Which admin site Django builds: ours, in the place of `django.contrib.admin`."""

from django.contrib.admin.apps import AdminConfig


class Admin(AdminConfig):
    default_site = "benchsite.admin_site.SecureAdminSite"
