-- Words cut at all punctuation, for texts and searches: m5.xlarge is two words that follow one another.
CREATE OR REPLACE FUNCTION submissions_search_words(given text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $$
    SELECT to_tsvector(
        'pg_catalog.simple'::regconfig,
        translate(left(given, 20000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~·×–—…“”‘’«»', repeat(' ', 60))
    )
$$;
