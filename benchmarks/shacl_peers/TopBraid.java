import java.nio.file.*;
import org.apache.jena.rdf.model.*;
import org.apache.jena.riot.RDFDataMgr;
import org.topbraid.shacl.validation.ValidationUtil;
import org.topbraid.shacl.vocabulary.SH;

/** TopBraid's engine of SHACL: the number of results of each case of a folder, or "error". */
public class TopBraid {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        for (int at = 0; Files.exists(folder.resolve(at + ".data.ttl")); at++) {
            String found;
            try {
                Model shapes = RDFDataMgr.loadModel(folder.resolve(at + ".shapes.ttl").toString());
                Model data = RDFDataMgr.loadModel(folder.resolve(at + ".data.ttl").toString());
                Model report = ValidationUtil.validateModel(data, shapes, false).getModel();
                boolean failed = report.contains(null, SH.resultSeverity, ResourceFactory.createResource("http://topbraid.org/tosh#Failure"))
                    || report.contains(null, org.apache.jena.vocabulary.RDF.type, ResourceFactory.createResource("http://datashapes.org/dash#FailureResult"));
                found = failed ? "error" : String.valueOf(report.listStatements(null, SH.result, (RDFNode) null).toList().size());
            } catch (Throwable error) {
                found = "error";
            }
            System.out.println(found);
        }
    }
}
