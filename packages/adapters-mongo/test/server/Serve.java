import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.backend.memory.index.MemoryUniqueIndex;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Usage: java -cp 'lib/*' [-Dmajor=5] Serve.java PORT [FILE]. Port 0 is any free one. Without a file, all is kept in memory. It calls
 * itself MongoDB 5 unless told otherwise, and ends with its input.
 */
public class Serve {
  /** The server calls itself wire version 8 (MongoDB 4.2), which the driver refuses to talk to; what it can do is enough for 13. */
  record Version(List<Integer> getVersionArray, int getWireVersion) implements MongoVersion {}

  /**
   * The server's own index finds documents only where a query asks for its fields and for nothing else; else it reads them all. This one
   * also finds those of which more is asked, which the server then looks at one by one, as ever.
   */
  static class WideIndex extends MemoryUniqueIndex {
    WideIndex(String name, List<IndexKey> keys, boolean sparse) {
      super(name, keys, sparse);
    }

    /** The values that are asked of a field; null where it is not asked for some values that are plain. */
    private static Collection<?> valuesOf(Object asked) {
      Collection<?> values = List.of();
      if (asked instanceof Document expression) {
        if (expression.size() != 1) return null;
        if (expression.containsKey("$eq") && expression.get("$eq") != null) values = List.of(expression.get("$eq"));
        else if (expression.get("$in") instanceof Collection<?> several) values = several;
        else return null;
      } else if (asked == null) return null;
      else values = List.of(asked);
      for (Object value : values)
        if (!(value instanceof String) && !(value instanceof de.bwaldvogel.mongo.bson.ObjectId)) return null;
      return values;
    }

    /** What is asked of each field, also where several conditions are joined. */
    private static Document joined(Document query) {
      if (!(query.get("$and") instanceof Collection<?> several)) return query;
      var all = new Document(query);
      for (Object one : several)
        if (one instanceof Document condition)
          for (String key : condition.keySet()) if (!all.containsKey(key)) all.put(key, condition.get(key));
      return all;
    }

    /** All queries for single values of the fields that the query comes to; null where it comes to none. */
    private List<Document> single(Document asked) {
      Document query = joined(asked);
      List<Document> all = List.of(new Document());
      for (String key : keys()) {
        Collection<?> values = query.containsKey(key) ? valuesOf(query.get(key)) : null;
        if (values == null) return null;
        var wider = new ArrayList<Document>();
        for (Document one : all)
          for (Object value : values) {
            var both = new Document(one);
            both.put(key, value);
            wider.add(both);
          }
        if (wider.size() > 100_000) return null;
        all = wider;
      }
      return all;
    }

    @Override
    public synchronized boolean canHandle(Document query) {
      return super.canHandle(query) || single(query) != null;
    }

    @Override
    public synchronized Iterable<Integer> getPositions(Document query) {
      var several = single(query);
      if (several == null) return super.getPositions(query);
      Set<Integer> found = new LinkedHashSet<>();
      for (Document one : several) for (Integer position : super.getPositions(one)) found.add(position);
      return found;
    }
  }

  static class WideDatabase extends MemoryDatabase {
    WideDatabase(String name, CursorRegistry cursors) {
      super(name, cursors);
    }

    @Override
    protected Index<Integer> openOrCreateUniqueIndex(
        String collection, String name, List<IndexKey> keys, boolean sparse) {
      return new WideIndex(name, keys, sparse);
    }
  }

  static class WideBackend extends MemoryBackend {
    @Override
    public MemoryDatabase openOrCreateDatabase(String name) {
      return new WideDatabase(name, getCursorRegistry());
    }

    /** As many writes in one command as MongoDB takes: the driver splits batches by what the server says. */
    private static Document wide(Document answer) {
      if (answer.containsKey("maxWriteBatchSize")) answer.put("maxWriteBatchSize", 100_000);
      return answer;
    }

    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      return wide(super.handleCommand(channel, database, command, query));
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      return wide(super.handleMessage(message));
    }
  }

  public static void main(String[] arguments) throws Exception {
    var backend = arguments.length > 1 ? new H2Backend(arguments[1]) : new WideBackend();
    var server = new MongoServer(backend.version(new Version(List.of(Integer.getInteger("major", 5), 0, 0), 13)));
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    System.out.println(server.getConnectionString());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
