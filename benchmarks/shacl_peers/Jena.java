import java.nio.file.*;
import org.apache.jena.riot.RDFDataMgr;
import org.apache.jena.shacl.*;

/** Jena's engine of SHACL: the number of results of each case of a folder, or "error". */
public class Jena {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        for (int at = 0; Files.exists(folder.resolve(at + ".data.ttl")); at++) {
            String found;
            try {
                var shapes = Shapes.parse(RDFDataMgr.loadGraph(folder.resolve(at + ".shapes.ttl").toString()));
                var data = RDFDataMgr.loadGraph(folder.resolve(at + ".data.ttl").toString());
                found = String.valueOf(ShaclValidator.get().validate(shapes, data).getEntries().size());
            } catch (Throwable error) {
                found = "error";
            }
            System.out.println(found);
        }
    }
}
