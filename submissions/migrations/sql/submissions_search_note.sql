-- The words of new submissions, and of those whose searched columns changed.
CREATE OR REPLACE FUNCTION submissions_search_note()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO submissions_searchentry (submission_id, words) VALUES (NEW.id, submissions_search_words_of(NEW))
    ON CONFLICT (submission_id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER submissions_search_added AFTER INSERT ON submissions_submission
    FOR EACH ROW
    EXECUTE FUNCTION submissions_search_note();

CREATE OR REPLACE TRIGGER submissions_search_changed AFTER UPDATE OF id, title, source, notes, document, service, service_version, node_count, instance_type, provider, region, zones, cpu_model, disk_kind, jdk_version, jdk_vendor, tool, tool_version, operation, consistency_level, replication_factor, relative_base, series ON submissions_submission
    FOR EACH ROW
    WHEN ((old.* IS DISTINCT FROM new.*))
    EXECUTE FUNCTION submissions_search_note();
