-- New trials and node groups are noted, for their submissions to be counted again.
--
-- A statement that writes submissions with all their parts says so (submissions/ingest/insert.py): what it writes is
-- counted with them, and what notes them takes that back, at the end of the statement.
CREATE OR REPLACE FUNCTION submissions_totals_note_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('submissions.parts_of_new', '', true);
    INSERT INTO submissions_totalschange (added, changed)
    SELECT array_agg(n.id), array(
        SELECT s.workload_id FROM submissions_submission s
        WHERE s.id IN (SELECT m.supersedes_id FROM new_rows m WHERE m.supersedes_id IS NOT NULL)
    )
    FROM new_rows n HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_totals_added AFTER INSERT ON submissions_trial
REFERENCING NEW TABLE AS rows FOR EACH STATEMENT
WHEN (current_setting('submissions.parts_of_new', true) IS DISTINCT FROM 'yes')
EXECUTE FUNCTION submissions_totals_note_touched();
CREATE OR REPLACE TRIGGER submissions_totals_added AFTER INSERT ON submissions_nodegroup
REFERENCING NEW TABLE AS rows FOR EACH STATEMENT
WHEN (current_setting('submissions.parts_of_new', true) IS DISTINCT FROM 'yes')
EXECUTE FUNCTION submissions_totals_note_touched();
