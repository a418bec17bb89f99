package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Ed25519SignatureTest {
    /** The head of an X.509 encoded Ed25519 key (RFC 8410), which precedes its 32 bytes. */
    private static final byte[] X509_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

    /** RFC 8032, section 7.1, tests 1 to 3. */
    @ParameterizedTest
    @CsvSource({
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60, '',"
                + "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a,"
                + "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb, 72,"
                + "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c,"
                + "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7, af82,"
                + "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025,"
                + "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    })
    void signsTheVectorsOfTheRfc(String secret, String message, String publicKey, String signature) {
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(Ed25519Signature.publicKey(hex.parseHex(secret))))
                .isEqualTo(publicKey);
        assertThat(hex.formatHex(Ed25519Signature.sign(hex.parseHex(secret), hex.parseHex(message))))
                .isEqualTo(signature);
    }

    @RepeatedTest(20)
    void signsLikeTheRuntimeForSecretsOf32Bytes(RepetitionInfo repetition) throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        byte[] secret = new byte[32];
        random.nextBytes(secret);
        byte[] message = new byte[random.nextInt(100)];
        random.nextBytes(message);
        Signature signer = Signature.getInstance("Ed25519");
        signer.initSign(KeyFactory.getInstance("Ed25519")
                .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, secret)));
        signer.update(message);
        assertThat(Ed25519Signature.sign(secret, message)).isEqualTo(signer.sign());
    }

    @ParameterizedTest
    @CsvSource({"''", "x", "secret", "a password that is a good deal longer than thirty-two bytes"})
    void signaturesOfAnyPasswordVerifyUnderItsPublicKey(String password) throws Exception {
        byte[] secret = password.getBytes(StandardCharsets.UTF_8);
        byte[] message = HexFormat.of().parseHex("00ff".repeat(16));
        Signature verifier = Signature.getInstance("Ed25519");
        byte[] key = new byte[44];
        System.arraycopy(X509_HEAD, 0, key, 0, X509_HEAD.length);
        System.arraycopy(Ed25519Signature.publicKey(secret), 0, key, X509_HEAD.length, 32);
        verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(key)));
        verifier.update(message);
        assertThat(verifier.verify(Ed25519Signature.sign(secret, message))).isTrue();
    }

    /** MariaDB's documentation: {@code SELECT ed25519_password('secret')}. */
    @Test
    void derivesThePublicKeyThatMariaDbStores() {
        byte[] key = Ed25519Signature.publicKey("secret".getBytes(StandardCharsets.UTF_8));
        assertThat(Base64.getEncoder().withoutPadding().encodeToString(key))
                .isEqualTo("ZIgUREUg5PVgQ6LskhXmO+eZLS0nC8be6HPjYWR4YJY");
    }
}
