-- Versions of `data` and of segments of submissions: models/data_version.py. A change never waits for another one: a
-- token goes into a row that no other open transaction has written. Once a command, however many rows it changes.

-- Of SEGMENT ids; there -1 is EVERY_SEGMENT.
CREATE FUNCTION submissions_segment(submission bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT (submission - 1) >> 14
$$;

CREATE FUNCTION submissions_new_token(wanted text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    done text := 'submissions.version_of_' || wanted;
BEGIN
    IF current_setting(done, true) = statement_timestamp()::text THEN
        RETURN;
    END IF;
    UPDATE submissions_dataversion SET token = gen_random_uuid() WHERE id = (
        SELECT id FROM submissions_dataversion WHERE subject = wanted LIMIT 1 FOR UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO submissions_dataversion (subject, token) VALUES (wanted, gen_random_uuid());
    END IF;
    PERFORM set_config(done, statement_timestamp()::text, true);
END $$;

CREATE FUNCTION submissions_new_segment_token(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    -- the command, and the segments that it has written: " 2026-11-23 18:00:00+00: 1 17 "
    command text := statement_timestamp()::text || ': ';
    done text := coalesce(current_setting('submissions.segments_done', true), '');
BEGIN
    IF NOT starts_with(done, command) THEN
        done := command;
    ELSIF position(' ' || wanted || ' ' IN substr(done, length(command))) > 0 THEN
        RETURN;
    END IF;
    UPDATE submissions_segmentversion SET token = gen_random_uuid() WHERE id = (
        SELECT id FROM submissions_segmentversion WHERE segment = wanted LIMIT 1 FOR UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO submissions_segmentversion (segment, token) VALUES (wanted, gen_random_uuid());
    END IF;
    PERFORM set_config('submissions.segments_done', done || wanted || ' ', true);
END $$;

CREATE OR REPLACE FUNCTION submissions_new_version(wanted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM submissions_new_token(wanted);
    IF wanted = 'data' THEN
        PERFORM submissions_new_segment_token(-1);
    END IF;
END $$;

-- Of `data`, and of the segments of these submissions; NULL is none.
CREATE FUNCTION submissions_new_version_of_rows(VARIADIC ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM submissions_new_token('data');
    PERFORM submissions_new_segment_token(changed.segment)
    FROM (SELECT DISTINCT submissions_segment(id) AS segment FROM unnest(ids) AS id WHERE id IS NOT NULL) changed;
END $$;
