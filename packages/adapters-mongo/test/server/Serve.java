import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/**
 * Usage: java -cp 'lib/*' [-Dmajor=5] Serve.java PORT [FILE]. Port 0 is any free one. Without a file, all is kept in memory. It calls
 * itself MongoDB 5 unless told otherwise, and ends with its input.
 */
public class Serve {
  /** The server calls itself wire version 8 (MongoDB 4.2), which the driver refuses to talk to; what it can do is enough for 13. */
  record Version(List<Integer> getVersionArray, int getWireVersion) implements MongoVersion {}

  public static void main(String[] arguments) throws Exception {
    var backend = arguments.length > 1 ? new H2Backend(arguments[1]) : new MemoryBackend();
    var server = new MongoServer(backend.version(new Version(List.of(Integer.getInteger("major", 5), 0, 0), 13)));
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    System.out.println(server.getConnectionString());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
