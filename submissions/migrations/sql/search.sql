-- The words by which a submission is found: submissions/models/search_entry.py.
--
-- Row triggers keep them, so that whoever writes a submission, by INSERT, COPY or UPDATE, cannot forget them.

-- PostgreSQL's own parser takes "m5.xlarge" for a host and "us-east-1" for a word and a number below zero. Without
-- punctuation each piece is a word, and a name is the phrase of its pieces. A search is cut up by the same function.
-- Longer texts would have more positions than a tsvector can hold.
CREATE FUNCTION submissions_search_words(given text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_tsvector(
        'pg_catalog.simple'::regconfig,
        translate(left(given, 20000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~·×–—…“”‘’«»', repeat(' ', 60))
    )
$$;

-- Machines and disks of all node groups are in the document, which is of the same row. PL/pgSQL, because it keeps the
-- plan of the expression: a session's first rows take a sixth of the time.
CREATE FUNCTION submissions_search_words_of(s submissions_submission)
RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN setweight(submissions_search_words(s.title), 'A')
        || setweight(submissions_search_words(concat_ws(
            ' ', s.source, s.service, s.service_version, s.node_count || ' nodes', nullif(s.instance_type, 'not stated'),
            replace(jsonb_path_query_array(s.document, '$.nodes[*].instance_type')::text, 'not stated', '')
        )), 'B')
        || setweight(submissions_search_words(concat_ws(
            ' ', s.provider, s.region, array_to_string(s.zones, ' '), s.cpu_model, s.disk_kind,
            jsonb_path_query_array(s.document, '$.nodes[*].disks[*].kind')::text,
            'JDK ' || s.jdk_version, s.jdk_vendor, s.tool, s.tool_version, s.operation, s.consistency_level,
            'RF ' || s.replication_factor, s.relative_base, s.series
        )), 'C')
        || setweight(submissions_search_words(s.notes), 'D');
END
$$;

CREATE FUNCTION submissions_search_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO submissions_searchentry (submission_id, words) VALUES (NEW.id, submissions_search_words_of(NEW))
    ON CONFLICT (submission_id) DO UPDATE SET words = EXCLUDED.words;
    RETURN NULL;
END
$$;

CREATE FUNCTION submissions_search_forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM submissions_searchentry WHERE submission_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER submissions_search_added AFTER INSERT ON submissions_submission
    FOR EACH ROW EXECUTE FUNCTION submissions_search_note();
CREATE TRIGGER submissions_search_changed AFTER UPDATE OF
    id, title, source, notes, document, service, service_version, node_count, instance_type, provider, region, zones,
    cpu_model, disk_kind, jdk_version, jdk_vendor, tool, tool_version, operation, consistency_level,
    replication_factor, relative_base, series ON submissions_submission
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION submissions_search_note();
CREATE TRIGGER submissions_search_removed AFTER DELETE ON submissions_submission
    FOR EACH ROW EXECUTE FUNCTION submissions_search_forget();
