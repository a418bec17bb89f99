import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reports in transactions of frameworks: Transactions FRAMEWORK USER URL.... FRAMEWORK is one of
 *
 * <ul>
 *   <li>spring: Spring's JdbcTemplate and its transactions of a DataSource
 *   <li>hibernate: Hibernate's own transactions
 *   <li>spring-jpa: Hibernate in Spring's transactions of JPA
 * </ul>
 *
 * For each URL the transactions are read-only at first, then read-write, the default of all frameworks. In each mode one transaction has
 * two reports, the next one, on the same connection of the pool, has one; two more reports are outside transactions. One line of output
 * for each report: its rows. The report is the SELECT in $FANFOLD_SELECT, or HQL of the same meaning.
 */
public final class Transactions {
    private static final String SQL = System.getenv("FANFOLD_SELECT");
    private static final String HQL = "SELECT i.name, COUNT(*), SUM(i.v) FROM Item i GROUP BY i.name ORDER BY i.name";

    private Transactions() {}

    /** A row of the table. */
    @Entity(name = "Item")
    @Table(name = "t")
    public static class Item {
        @Id
        private int id;

        private Integer v;
        private String name;
    }

    private static void say(List<Object[]> rows) {
        System.out.println(rows.stream()
                .map(row -> Arrays.stream(row).map(String::valueOf).collect(Collectors.joining("|")))
                .collect(Collectors.joining(";")));
    }

    private static void spring(HikariDataSource pool, boolean readOnly) {
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        inSpring(
                new DataSourceTransactionManager(pool),
                readOnly,
                () -> jdbc.query(SQL, (row, i) -> new Object[] {row.getObject(1), row.getObject(2), row.getObject(3)}));
    }

    /** The transactions are those in which Spring runs methods with {@code @Transactional}. */
    private static void inSpring(
            PlatformTransactionManager manager, boolean readOnly, Supplier<List<Object[]>> report) {
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setReadOnly(readOnly);
        transaction.executeWithoutResult(status -> {
            say(report.get());
            say(report.get());
        });
        transaction.executeWithoutResult(status -> say(report.get()));
        say(report.get());
        say(report.get());
    }

    private static SessionFactory factory(HikariDataSource pool, Properties settings) {
        Configuration configuration = new Configuration().addAnnotatedClass(Item.class).addProperties(settings);
        configuration.getProperties().put("hibernate.connection.datasource", pool);
        return configuration.buildSessionFactory();
    }

    private static List<Object[]> query(EntityManager entities) {
        return entities.createQuery(HQL, Object[].class).getResultList();
    }

    private static List<Object[]> nativeQuery(Session session) {
        return session.createNativeQuery(SQL, Object[].class).list();
    }

    /** Of a read-only session the server is told nothing. */
    private static void hibernate(HikariDataSource pool, boolean readOnly) {
        try (SessionFactory factory = factory(pool, new Properties())) {
            factory.inTransaction(session -> {
                session.setDefaultReadOnly(readOnly);
                say(query(session));
                say(query(session));
            });
            factory.inTransaction(session -> {
                session.setDefaultReadOnly(readOnly);
                say(nativeQuery(session));
            });
            factory.inSession(session -> {
                say(query(session));
                say(nativeQuery(session));
            });
        }
    }

    private static void springJpa(HikariDataSource pool, boolean readOnly) {
        HibernateJpaVendorAdapter adapter = new HibernateJpaVendorAdapter();
        Properties settings = new Properties();
        settings.putAll(adapter.getJpaPropertyMap());
        try (SessionFactory factory = factory(pool, settings)) {
            JpaTransactionManager manager = new JpaTransactionManager(factory);
            manager.setJpaDialect(adapter.getJpaDialect());
            // outside transactions it opens a session for each query
            EntityManager shared = SharedEntityManagerCreator.createSharedEntityManager(factory);
            inSpring(manager, readOnly, () -> query(shared));
        }
    }

    private static void run(String framework, HikariDataSource pool, boolean readOnly) {
        switch (framework) {
            case "spring" -> spring(pool, readOnly);
            case "hibernate" -> hibernate(pool, readOnly);
            case "spring-jpa" -> springJpa(pool, readOnly);
            default -> throw new IllegalArgumentException(framework);
        }
    }

    public static void main(String[] args) {
        for (String url : Arrays.asList(args).subList(2, args.length)) {
            for (boolean readOnly : new boolean[] {true, false}) {
                try (HikariDataSource pool = new HikariDataSource()) {
                    pool.setJdbcUrl(url);
                    pool.setUsername(args[1]);
                    pool.setPassword("");
                    pool.setMaximumPoolSize(1);
                    run(args[0], pool, readOnly);
                }
            }
        }
    }
}
