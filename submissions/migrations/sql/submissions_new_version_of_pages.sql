-- Names and permissions of accounts are shown on pages.
CREATE OR REPLACE FUNCTION submissions_new_version_of_pages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM submissions_new_version('pages');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER version_of_pages AFTER INSERT OR DELETE OR UPDATE ON auth_group_permissions
    FOR EACH STATEMENT
    EXECUTE FUNCTION submissions_new_version_of_pages();

CREATE OR REPLACE TRIGGER version_of_pages AFTER UPDATE ON auth_user
    FOR EACH ROW
    WHEN ((((((old.username)::text IS DISTINCT FROM (new.username)::text) OR (old.is_active IS DISTINCT FROM new.is_active)) OR (old.is_staff IS DISTINCT FROM new.is_staff)) OR (old.is_superuser IS DISTINCT FROM new.is_superuser)))
    EXECUTE FUNCTION submissions_new_version_of_pages();

CREATE OR REPLACE TRIGGER version_of_pages AFTER INSERT OR DELETE OR UPDATE ON auth_user_groups
    FOR EACH STATEMENT
    EXECUTE FUNCTION submissions_new_version_of_pages();

CREATE OR REPLACE TRIGGER version_of_pages AFTER INSERT OR DELETE OR UPDATE ON auth_user_user_permissions
    FOR EACH STATEMENT
    EXECUTE FUNCTION submissions_new_version_of_pages();
