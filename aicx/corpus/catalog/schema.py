"""The tables of the catalogue, and their version: another one has the catalogue rebuilt from the sidecars."""

SCHEMA_VERSION = 5
# The version before had all but the sightings, which the stored chunks bring back without any log.
BEFORE_SIGHTINGS = 4
LACKS_SIGHTINGS = "lacks_sightings"

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE sources (
    path TEXT PRIMARY KEY, agent TEXT, format TEXT, size INTEGER, fingerprint TEXT,
    session_id TEXT, problems TEXT
) WITHOUT ROWID;
CREATE INDEX sources_by_session ON sources (agent, session_id);
CREATE TABLE chunks (
    rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, agent TEXT, session_id TEXT, stream TEXT, number INTEGER,
    project TEXT, date TEXT, kind TEXT, started_at TEXT, completed_at TEXT, branch TEXT, model TEXT, lane TEXT,
    parent_session TEXT, run_id TEXT, prompt_id TEXT, cwd TEXT, title TEXT, repo_source TEXT,
    path TEXT UNIQUE, content_sha256 TEXT, sidecar_sha256 TEXT, size INTEGER, tokens INTEGER,
    messages INTEGER, redactions INTEGER, source_path TEXT, ignored INTEGER DEFAULT 0, sequence INTEGER,
    failed INTEGER, workflow_phase TEXT, mode TEXT, skill_code TEXT, token_usage INTEGER, findings_count INTEGER,
    without_tool_facts INTEGER
);
CREATE INDEX chunks_by_sequence ON chunks (sequence);
CREATE TABLE removed (id TEXT PRIMARY KEY, sequence INTEGER) WITHOUT ROWID;
CREATE INDEX chunks_by_time ON chunks (ignored, started_at, id);
CREATE INDEX chunks_by_session ON chunks (agent, session_id, stream, number);
CREATE INDEX chunks_by_project ON chunks (ignored, project, cwd);
CREATE INDEX chunks_by_session_id ON chunks (session_id);
CREATE INDEX chunks_by_parent ON chunks (parent_session) WHERE parent_session IS NOT NULL;
CREATE INDEX chunks_by_run ON chunks (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX chunks_by_prompt ON chunks (prompt_id) WHERE prompt_id IS NOT NULL;
CREATE TABLE folders (chunk INTEGER, cwd TEXT, project TEXT, repo_source TEXT);
CREATE INDEX folders_by_chunk ON folders (chunk);
CREATE TABLE files (chunk INTEGER, path TEXT);
CREATE INDEX files_by_chunk ON files (chunk);
CREATE TABLE tools (chunk INTEGER, name TEXT);
CREATE INDEX tools_by_chunk ON tools (chunk);
CREATE TABLE messages (chunk INTEGER, key INTEGER, text_key INTEGER, at INTEGER, role TEXT);
CREATE INDEX messages_by_key ON messages (key);
CREATE INDEX messages_by_text ON messages (text_key) WHERE role IN ('user', 'assistant');
CREATE INDEX messages_by_chunk ON messages (chunk);
CREATE TABLE names (chunk INTEGER PRIMARY KEY, topic TEXT, topic_from TEXT, work TEXT, work_from TEXT,
    prompt_key TEXT, prompt_size INTEGER, prompts INTEGER, typed INTEGER, automated_why TEXT);
CREATE INDEX names_behind ON names (chunk) WHERE topic_from IS NULL;
CREATE TABLE sessions (agent TEXT, session_id TEXT, title TEXT, automated_why TEXT, base TEXT, work TEXT,
    evidence TEXT, prompt_key TEXT, prompt_size INTEGER, prompts INTEGER, typed INTEGER,
    PRIMARY KEY (agent, session_id)) WITHOUT ROWID;
CREATE INDEX sessions_by_base ON sessions (base);
CREATE INDEX sessions_by_prompt ON sessions (prompt_key);
CREATE TABLE duplicates (key INTEGER, path TEXT, start INTEGER, reference TEXT, PRIMARY KEY (key, path, start))
    WITHOUT ROWID;
CREATE TABLE late_titles (agent TEXT, session_id TEXT, title TEXT, PRIMARY KEY (agent, session_id)) WITHOUT ROWID;
CREATE TABLE records (agent TEXT, session_id TEXT, marks BLOB, PRIMARY KEY (agent, session_id));
CREATE TABLE leaf_titles (agent TEXT, leaf BLOB, path TEXT, PRIMARY KEY (agent, leaf)) WITHOUT ROWID;
CREATE TABLE evidence (chunk INTEGER, folder TEXT, kind TEXT, said TEXT);
CREATE INDEX evidence_by_chunk ON evidence (chunk);
CREATE TABLE commits (chunk INTEGER, folder TEXT, mark TEXT);
CREATE INDEX commits_by_chunk ON commits (chunk);
CREATE TABLE claims (folder TEXT PRIMARY KEY, project TEXT, repo_source TEXT, reason TEXT, history INTEGER)
    WITHOUT ROWID;
CREATE TABLE renames (old TEXT PRIMARY KEY, new TEXT) WITHOUT ROWID;
"""
SIGHTINGS = """
CREATE TABLE sightings (chunk INTEGER, hash TEXT, subject TEXT, made INTEGER, at TEXT, plain TEXT);
CREATE INDEX sightings_by_chunk ON sightings (chunk);
CREATE INDEX sightings_by_hash ON sightings (hash);
CREATE INDEX sightings_by_plain ON sightings (plain);
"""
SCHEMA += SIGHTINGS
