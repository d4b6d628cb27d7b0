// Rows that were moved from a file kept their numbers, but the numbers of new steps of files' histories, calls of keys and arrivals of files
// started from 1. New rows were refused, or taken for the oldest and removed.
export const numbersAfterMoves = `
DO $$
DECLARE
  numbered record;
  sequence text;
  largest bigint;
  latest bigint;
BEGIN
  FOR numbered IN SELECT table_name AS name, column_name AS key FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES'
  LOOP
    sequence := pg_get_serial_sequence(quote_ident(numbered.name), numbered.key);
    EXECUTE format('SELECT coalesce(max(%I), 0) FROM %I', numbered.key, numbered.name) INTO largest;
    EXECUTE format('SELECT last_value FROM %s', sequence) INTO latest;
    IF largest >= latest THEN PERFORM setval(sequence, largest + 1, false); END IF;
  END LOOP;
END $$;
`
