import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.jena.query.*;
import org.apache.jena.riot.RDFDataMgr;

/** Answers queries by Jena. The argument is a file with three paths for each: N-Quads, query, result. */
public class Jena {
  public static void main(String[] arguments) throws Exception {
    List<String> given = Files.readAllLines(Path.of(arguments[0]));
    for (int at = 0; at < given.size(); at += 3) {
      Dataset data = RDFDataMgr.loadDataset(given.get(at));
      Query query = QueryFactory.create(Files.readString(Path.of(given.get(at + 1))));
      try (QueryExecution execution = QueryExecutionFactory.create(query, data);
          OutputStream result = new FileOutputStream(given.get(at + 2))) {
        ResultSetFormatter.outputAsJSON(result, execution.execSelect());
      }
    }
  }
}
