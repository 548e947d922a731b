-- The words by which a submission is found.
CREATE OR REPLACE FUNCTION submissions_search_words_of(s submissions_submission)
 RETURNS tsvector
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $$
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
