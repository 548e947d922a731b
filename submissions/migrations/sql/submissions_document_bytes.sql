-- What a document counts for the quota of its account: its JSON text.
CREATE OR REPLACE FUNCTION submissions_document_bytes(document jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $$
    SELECT octet_length(document::text)
$$;
