package benchsite;

import com.datastax.driver.core.BoundStatement;
import com.datastax.driver.core.Cluster;
import com.datastax.driver.core.ConsistencyLevel;
import com.datastax.driver.core.PreparedStatement;
import com.datastax.driver.core.Row;
import com.datastax.driver.core.Session;
import com.datastax.driver.core.SocketOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * YCSB's access to Cassandra, by the properties that YCSB's own binding has: hosts, cassandra.readconsistencylevel,
 * cassandra.writeconsistencylevel. YCSB's core is on Maven Central; its binding for Cassandra is not.
 *
 * <p>All threads share a session, whose statements are prepared once. A row is a key and text columns, as in YCSB's
 * own schema; {@link #main} creates it.
 */
public final class CassandraBinding extends DB {
  private static final String KEYSPACE = "ycsb";
  private static final String KEY = "y_id";
  private static final int READ_TIMEOUT_MS = 12_000;
  private static final String WARM_UP = "warmupreads"; // a property: how many reads come before YCSB's clock starts
  private static final long WARM_UP_NS = 5_000_000_000L; // at most

  private static final Object LOCK = new Object();
  private static final Map<String, PreparedStatement> STATEMENTS = new ConcurrentHashMap<>();
  private static final AtomicBoolean HAS_REPORTED = new AtomicBoolean();
  private static Session session; // closed by the end of the program: closing takes seconds, which YCSB would count
  private static ConsistencyLevel readLevel;
  private static ConsistencyLevel writeLevel;

  /** CassandraBinding HOSTS REPLICATION_FACTOR DATACENTER TABLE COLUMNS: keyspace and table, unless they exist. */
  public static void main(String[] words) {
    StringBuilder columns = new StringBuilder();
    for (int index = 0; index < Integer.parseInt(words[4]); index++) {
      columns.append(", field").append(index).append(" text");
    }
    try (Cluster created = connected(words[0]); Session opened = created.connect()) {
      opened.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE + " WITH replication = "
          + "{'class': 'NetworkTopologyStrategy', '" + words[2] + "': " + Integer.parseInt(words[1]) + "}");
      opened.execute("CREATE TABLE IF NOT EXISTS " + KEYSPACE + "." + words[3]
          + " (" + KEY + " text PRIMARY KEY" + columns + ")");
      if (!created.getMetadata().checkSchemaAgreement()) {
        throw new IllegalStateException("the nodes do not agree on the schema");
      }
    }
  }

  /** Connects the first time: YCSB's clock starts after this, and before init(), which would lower the rate. */
  @Override
  public void setProperties(Properties properties) {
    super.setProperties(properties);
    synchronized (LOCK) {
      if (session == null) {
        readLevel = level(properties, "read");
        writeLevel = level(properties, "write");
        session = connected(properties.getProperty("hosts")).connect(KEYSPACE);
        warmUp(properties.getProperty("table", "usertable"), Integer.parseInt(properties.getProperty(WARM_UP, "0")));
      }
    }
  }

  /** Reads a row that does not exist until the driver's code is compiled: the first second would measure that. */
  private void warmUp(String table, int reads) {
    long end = System.nanoTime() + WARM_UP_NS;
    for (int done = 0; done < reads && System.nanoTime() < end; done++) {
      read(table, "warm-up", null, new HashMap<>());
    }
  }

  @Override
  public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    String columns = fields == null ? "*" : String.join(", ", fields);
    try {
      BoundStatement statement = prepared(
          "SELECT " + columns + " FROM " + table + " WHERE " + KEY + " = ?", readLevel).bind(key);
      Row row = session.execute(statement).one();
      if (row == null) {
        return Status.NOT_FOUND;
      }
      row.getColumnDefinitions().forEach(column -> {
        ByteBuffer value = row.getBytesUnsafe(column.getName());
        if (value != null) {
          byte[] bytes = new byte[value.remaining()];
          value.get(bytes);
          result.put(column.getName(), new ByteArrayByteIterator(bytes));
        }
      });
      return Status.OK;
    } catch (RuntimeException error) {
      return failed(error);
    }
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Map<String, ByteIterator> sorted = new TreeMap<>(values);
    String columns = String.join(" = ?, ", sorted.keySet()) + " = ?";
    return write("UPDATE " + table + " SET " + columns + " WHERE " + KEY + " = ?", texts(sorted, null, key));
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    Map<String, ByteIterator> sorted = new TreeMap<>(values);
    String columns = String.join(", ", sorted.keySet());
    String marks = new String(new char[sorted.size()]).replace("\0", ", ?");
    return write(
        "INSERT INTO " + table + " (" + KEY + ", " + columns + ") VALUES (?" + marks + ")", texts(sorted, key, null));
  }

  @Override
  public Status delete(String table, String key) {
    return write("DELETE FROM " + table + " WHERE " + KEY + " = ?", new Object[] {key});
  }

  /** Not implemented: runs have no workload with scans. */
  @Override
  public Status scan(
      String table, String start, int count, Set<String> fields, Vector<HashMap<String, ByteIterator>> rows) {
    return Status.NOT_IMPLEMENTED;
  }

  private static Status write(String text, Object[] values) {
    try {
      session.execute(prepared(text, writeLevel).bind(values));
      return Status.OK;
    } catch (RuntimeException error) {
      return failed(error);
    }
  }

  private static Object[] texts(Map<String, ByteIterator> values, String first, String last) {
    List<Object> texts = new ArrayList<>();
    if (first != null) {
      texts.add(first);
    }
    values.values().forEach(value -> texts.add(value.toString()));
    if (last != null) {
      texts.add(last);
    }
    return texts.toArray();
  }

  private static PreparedStatement prepared(String text, ConsistencyLevel level) {
    return STATEMENTS.computeIfAbsent(text, missing -> session.prepare(missing).setConsistencyLevel(level));
  }

  /** The reason of the first failure is printed: the summary only counts them. */
  private static Status failed(RuntimeException error) {
    if (HAS_REPORTED.compareAndSet(false, true)) {
      System.err.println("The first operation that failed: " + error);
    }
    return Status.ERROR;
  }

  private static ConsistencyLevel level(Properties properties, String side) {
    return ConsistencyLevel.valueOf(properties.getProperty("cassandra." + side + "consistencylevel", "QUORUM"));
  }

  private static Cluster connected(String hosts) {
    return Cluster.builder()
        .addContactPoints(hosts.split(","))
        .withSocketOptions(new SocketOptions().setReadTimeoutMillis(READ_TIMEOUT_MS))
        .withoutJMXReporting()
        .build();
  }
}
