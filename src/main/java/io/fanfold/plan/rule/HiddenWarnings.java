package io.fanfold.plan.rule;

import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.Template;
import io.fanfold.plan.TypedBlock;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.sql.FunctionFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Refuses conversions and divisions whose warnings may be lost. The server converts values before HAVING drops their
 * groups, and warns if a value does not fit; the final query drops the groups first. MariaDB does the same for groups that
 * LIMIT drops. Divisions and implicit conversions of keys are computed as early, those of aggregates only for the groups
 * that are returned (MySQL 9.7, MariaDB 10.11).
 *
 * <pre>
 * SELECT a, CAST(MAX(str) AS SIGNED) FROM t GROUP BY a HAVING COUNT(*) > 5      refused
 * SELECT str + 1 FROM t GROUP BY str HAVING COUNT(*) > 5                        refused
 * SELECT a, 1 / a FROM t GROUP BY a HAVING COUNT(*) > 5                         refused
 * SELECT a, a / 2, MAX(str) + 1 FROM t GROUP BY a HAVING COUNT(*) > 5           split
 * </pre>
 *
 * <p>Tests: {@code PreparedWarningsIT}, {@code split-passes.sql}.
 */
final class HiddenWarnings implements FinalQueryRule {
    @Override
    public Optional<Refusal> check(TypedBlock block, List<ColumnEncoding> encodings) {
        List<Template> shown = new ArrayList<>(block.shape().items());
        shown.addAll(block.shape().orderBy());
        boolean having = block.shape().having().isPresent();
        if (having && shown.stream().anyMatch(template -> dividesKeys(block, template))) {
            return Optional.of(
                    new Refusal(Reason.ARGUMENT_TYPE, "a division of keys may warn of groups that HAVING leaves out"));
        }
        boolean limited = block.flavor().isMariaDb() && block.model().limit().isPresent();
        boolean converts = (having || limited) && shown.stream().anyMatch(template -> converts(block, template))
                || having && block.templates().stream().anyMatch(template -> comparesTextWithNumber(block, template));
        return converts
                ? Optional.of(new Refusal(
                        Reason.ARGUMENT_TYPE, "a conversion may warn of groups that HAVING or LIMIT leaves out"))
                : Optional.empty();
    }

    private static boolean dividesKeys(TypedBlock block, Template template) {
        return template.ofKeys() && block.words(template).mayDivideByZero();
    }

    private static boolean converts(TypedBlock block, Template template) {
        boolean parsesKeys = template.ofKeys()
                && block.keysOf(template).anyMatch(key -> key.type().isString())
                && block.words(template).contains(FunctionFacts::parses);
        return parsesKeys || block.words(template).contains(FunctionFacts::converts);
    }

    private static boolean comparesTextWithNumber(TypedBlock block, Template template) {
        String marked = template.render(reference -> reference instanceof Template.KeyRef key
                        && block.keyType(key).type().isString()
                ? "`text`"
                : "`ff`");
        return block.model().words(marked).comparesWithNumber("text");
    }
}
