"""Made-up credentials, put together so that no scanner takes them for real, and texts in which people leave them."""

WORD = "Tr0ub4dor" + "&3x"
AWS = "AKIA" + "QX7EXAMPLEKEY42Z"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzEXAMPLEQ9"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
GITLAB = "glpat-" + "x9Yz8Wv7Ut6Sr5Qp4On3"
SLACK = "xoxb-" + "210987654321-abcdefGHIJKL"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiJiZW5jaCJ9" + ".Qm9vIHRoaXMgaXMgZmFrZQ"
KEY_LINES = ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg", "SjAgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4")
PEM = "-----BEGIN PRIVATE KEY-----\n{}\n{}\n-----END PRIVATE KEY-----".format(*KEY_LINES)
_ONE_LINE = PEM.replace("\n", "\\n")
GCP = f'{{"type": "service_account", "private_key_id": "9f8e7d6c5b4a39281706", "private_key": "{_ONE_LINE}"}}'

# the text, and the parts of it of which nothing may remain
LEFT_IN = {
    "cassandra-stress": (f"cassandra-stress write -mode native cql3 user=bench password={WORD} -node 10.0.0.1", WORD),
    "truststore": (f"-transport truststore=/t.jks truststore-password={WORD} keystore-password=Zw{WORD}", WORD),
    "ycsb": (f"-p mongodb.url=mongodb://bench:{WORD}@10.0.0.1:27017/ycsb?w=1 -p operationcount=1000", WORD),
    "ycsb jdbc": (f"-p db.driver=org.postgresql.Driver -p db.user=bench -p db.passwd={WORD} -p recordcount=5", WORD),
    "go-ycsb": (f'"mysql.password"="{WORD}"', WORD),
    "java map": (f"{{db.user=bench, db.passwd={WORD}, threads=4}}", WORD),
    "pgbench url": (f"pgbench -c 8 postgresql://bench:{WORD}@db:5432/bench", WORD),
    "pgbench words": (f"pgbench 'host=db user=bench password={WORD} dbname=bench'", WORD),
    "PGPASSWORD": (f"PGPASSWORD={WORD} pgbench -c 8 bench", WORD),
    "latte": (f"latte run --user bench --password {WORD} workload.rn 10.0.0.1", WORD),
    "latte =": (f"latte run --user bench --password='{WORD}' workload.rn", WORD),
    "continued line": (f"latte run --password \\\n  {WORD} workload.rn", WORD),
    "hdr comment": (f"#[password: {WORD}]", WORD),
    "json": (f'{{"threads": 4, "password": "{WORD}", "x": 1}}', WORD),
    "json in json": (f'{{"conf": "{{\\"password\\": \\"{WORD}\\"}}"}}', WORD),
    "html": (f"<td>&quot;password&quot;: &quot;{WORD}&quot;</td>", WORD),
    "xml": (f"<db><password>{WORD}</password></db>", WORD),
    "yaml": (f"keystore_password: {WORD}", WORD),
    "argv": (f"['latte', '--password', '{WORD}', 'run']", WORD),
    "sql": (f"CREATE ROLE bench WITH LOGIN PASSWORD '{WORD}'", WORD),
    "mysql": (f"mysql -h db -u bench -p{WORD} bench", WORD),
    "cqlsh": (f"cqlsh -u bench -p {WORD} 10.0.0.1", WORD),
    "redis": (f"redis-benchmark -h 10.0.0.1 -a {WORD} -n 1000", WORD),
    "redis.conf": (f"requirepass {WORD}", WORD),
    "redis url": (f"redis://:{WORD}@10.0.0.1:6379/0", WORD),
    "nodetool": (f"nodetool -u bench -pw {WORD} status", WORD),
    "curl": (f"curl -s -u bench:{WORD} https://example.org/", WORD),
    "go dsn": (f"bench:{WORD}@tcp(10.0.0.1:3306)/bench", WORD),
    "two @": ("https://bench:p@ss@example.org/x", "p@ss"),
    "a slash": ("mongodb://bench:ab/cd99@10.0.0.1/ycsb", "ab/cd99"),
    "umlauts": ("password=p\u00e4ss\u00e0w\u00f6rt123 threads=4", "rt123"),
    "cyrillic": ("password=\u043f\u0430\u0440\u043e\u043b\u044c threads=4", "\u043f\u0430\u0440\u043e\u043b\u044c"),
    "camel case": (f"dbPass={WORD} userPwd={WORD}", WORD),
    "aws": (f"AWS_ACCESS_KEY_ID={AWS} AWS_SECRET_ACCESS_KEY={AWS_SECRET}", AWS, AWS_SECRET),
    "aws alone": (f"credentials for {AWS} expired", AWS),
    "azure": (f"AccountName=bench;AccountKey={AWS_SECRET}==;EndpointSuffix=core.windows.net", AWS_SECRET),
    "cosmos": (f"-p azurecosmos.primaryKey={AWS_SECRET}==", AWS_SECRET),
    "gcp": (GCP, *KEY_LINES, "9f8e7d6c5b4a39281706"),
    "pem": (f"key:\n{PEM}\ndone", *KEY_LINES),
    "pem cut short": (f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINES[0]}\n{KEY_LINES[1]}", *KEY_LINES),
    "github": (f"git clone https://{GITHUB}@github.com/bench/bench", GITHUB),
    "gitlab": (f"--header 'PRIVATE-TOKEN: {GITLAB}'", GITLAB),
    "slack": (f"posting with {SLACK}", SLACK),
    "jwt": (f"session {JWT} opened", JWT),
    "bearer": ("Authorization: Bearer abcDEF123456ghiJKL789", "abcDEF123456ghiJKL789"),
    "basic": ("authorization: Basic YmVuY2g6VHIwdWI0ZG9y", "YmVuY2g6VHIwdWI0ZG9y"),
    "api key": ("X-Api-Key: 0123abcd4567", "0123abcd4567"),
    "cookie": ("Cookie: sessionid=q1w2e3r4t5y6", "q1w2e3r4t5y6"),
    "signed url": ("https://x.blob.core.windows.net/l?sv=2020&sig=abcdef0123456789ABCDEF%3D", "abcdef0123456789"),
}  # fmt: skip

# nothing to mask
HARMLESS = (
    "  Password: *suppressed*",
    "  Username: null\n  Password: null",
    "Keystore Password: ****",
    "[password=?] [user=?]",
    "--password=<PASSWORD>   the password for plain text authentication",
    "  -P, --password  Password for authentication",
    "--password $PGPASSWORD --user bench",
    "password_encryption = scram-sha-256",
    "authenticator: PasswordAuthenticator",
    "--password-file /etc/bench/password",
    "PWD=/home/bench/cassandra",
    "num_tokens: 256, initial_token: -9223372036854775808",
    "token=-3074457345618258603",
    "PRIMARY KEY (id), key: 4, key_cache_size=100",
    "primary_key=id",
    "secret sauce: batches",
    "Connected to cluster: Test Cluster, at http://10.0.0.1:9042/ and cql://10.0.0.2:9042",
    "postgresql://bench@db:5432/bench",
    "jdbc:postgresql://localhost:5432/bench?user=bench",
    "mongodb://h1:27017,h2:27017/ycsb?w=1",
    "disk-sk-1234 us-east-1 asia-northeast1 basic configuration",
    "measured by a@example.org at 12:30",
    "https://example.org/a:b/c@d",
    "tests passed: 12, failed: 0",
    "SHA-256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
)
